// swift-tools-version: 6.2
import PackageDescription

// Apple's framework is built without the last feature below: its functions run where Apple's do.
let appleSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let settings = appleSettings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
let pureSettings = settings + [.strictMemorySafety()]

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// Products of packages that nothing but a trait needs: without the trait they are not resolved.
func only(_ trait: String, _ products: [(name: String, package: String)]) -> [Target.Dependency] {
  products.map { .product(name: $0.name, package: $0.package, condition: .when(traits: [trait])) }
}

let package = Package(
  name: "hidsim",
  products: [
    .executable(name: "hidsim", targets: ["hidsim"]),
    .library(name: "HIDReportDescriptor", targets: ["HIDReportDescriptor"]),
    .library(name: "KeyboardLayouts", targets: ["KeyboardLayouts"]),
    .library(name: "CoreHID", targets: ["CoreHID"]),
    .library(name: "CoreHaptics", targets: ["CoreHaptics"]),
    .library(name: "GameController", targets: ["GameController"]),
    .library(name: "HIDPedals", targets: ["HIDPedals"]),
    .library(name: "HIDBus", targets: ["HIDBus"]),
    .library(name: "HIDTraces", targets: ["HIDTraces"]),
    .library(name: "HIDSimulator", targets: ["HIDSimulator"]),
    .library(name: "HIDTesting", targets: ["HIDTesting"]),
    .library(name: "InputStick", targets: ["InputStickAPI"]),
  ],
  // The packages of a product besides CoreHID's. HIDReportDescriptor, CoreHID and HIDBus work
  // with `traits: []`.
  traits: [
    .trait(name: "Traces", description: "HIDTraces, HIDSimulator and HIDTesting: YAML, histograms"),
    .trait(name: "InputStick", description: "InputStick", enabledTraits: ["Traces"]),
    .trait(
      name: "CommandLine", description: "The program hidsim: options, signals, child processes",
      enabledTraits: ["Traces", "InputStick"]),
    .default(enabledTraits: ["CommandLine"]),
  ],
  dependencies: [
    // Commands, their help and shell completion.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // Errno, file descriptors and paths.
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    // Deque and ordered dictionaries.
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    // The program that is run beside a device.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    // Signals as a sequence, for the long-running commands.
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // YAML, as libinput records.
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    // How late reports are, as a histogram.
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    // Combine, as the tests' programs for Apple's platforms import it.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    // Pure: bytes, names and values. No I/O.
    .target(name: "HIDUsages", exclude: ["usages.tsv"], swiftSettings: pureSettings),
    .target(name: "HIDText", swiftSettings: pureSettings),
    .target(
      name: "KeyboardLayouts", dependencies: ["HIDUsages"], exclude: ["NOTICE"],
      swiftSettings: pureSettings),
    .target(
      name: "HIDReportDescriptor", dependencies: ["HIDUsages", "HIDText"],
      swiftSettings: pureSettings),
    // Layouts of the machine, by libxkbcommon, which is loaded when one is named.
    .target(name: "CXKB"),
    .target(
      name: "XKBLayouts",
      dependencies: [
        "HIDText", "CXKB", "KeyboardLayouts", "HIDReportDescriptor", "HIDUsages",
      ],
      swiftSettings: settings),

    // The kernel's doors, and the loop that waits at them.
    .target(name: "CLinux"),
    .target(
      name: "IOLoop",
      dependencies: ["CLinux", system, .product(name: "HeapModule", package: "swift-collections")],
      swiftSettings: settings),
    // A device that is plugged into a host, and its two ends, on each bus.
    .target(
      name: "HIDBus",
      dependencies: [
        "HIDReportDescriptor", "HIDText", "IOLoop", "CLinux", system,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),

    // What is in the way of the buses on a machine.
    .target(
      name: "HIDDoctor",
      dependencies: ["HIDBus", system],
      swiftSettings: settings),

    // Apple's framework.
    .target(
      name: "CoreHID",
      dependencies: [
        "HIDBus", "HIDReportDescriptor", "HIDUsages", "IOLoop",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: appleSettings),

    // Apple's framework of vibration, for the motors of controllers.
    .target(name: "CoreHaptics", swiftSettings: appleSettings),

    // Apple's framework of keyboards, mice and controllers.
    .target(
      name: "GameController",
      dependencies: [
        "HIDText", "CoreHaptics", "CoreHID", "HIDBus", "HIDReportDescriptor", "HIDUsages",
        "IOLoop",
      ],
      swiftSettings: appleSettings),

    // Page-turner pedals, and whether a real keyboard is connected.
    .target(
      name: "HIDPedals", dependencies: ["CoreHID", "HIDBus"], swiftSettings: appleSettings),

    // Devices from files, and what they do.
    .target(
      name: "HIDTraces",
      dependencies: [
        "HIDReportDescriptor", "HIDText", "IOLoop", system,
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ] + only("Traces", [("Yams", "Yams"), ("Histogram", "hdrhistogram-swift")]),
      swiftSettings: pureSettings),
    .target(
      name: "HIDSimulator",
      dependencies: [
        "HIDUsages", "HIDTraces", "HIDBus", "IOLoop", "HIDReportDescriptor",
        "HIDText", "KeyboardLayouts", "XKBLayouts", system,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    // AES, HMAC and MD5 of the InputStick, by OpenSSL's libcrypto, which is loaded for a password.
    // It keeps the keys of a session; swift-crypto prepares them anew for each packet.
    .target(name: "COpenSSL"),
    // The InputStick: its packets, the simulated stick, and its link.
    .target(
      name: "InputStick",
      dependencies: [
        "HIDText", "HIDSimulator", "HIDBus", "IOLoop", "CLinux", "COpenSSL",
        system,
      ],
      swiftSettings: settings),
    // The client library of the InputStick, with the interface of its manufacturer's.
    .target(
      name: "InputStickAPI",
      dependencies: ["InputStick", "HIDBus", "IOLoop", "KeyboardLayouts"],
      swiftSettings: settings),
    // What a user's tests import; on macOS it has no devices, and Apple's CoreHID.
    .target(
      name: "HIDTesting",
      dependencies: [
        "HIDReportDescriptor", "HIDSimulator", "CoreHID", "HIDTraces", "HIDBus", "HIDText",
        "HIDUsages",
      ].map { .target(name: $0, condition: .when(platforms: [.linux])) },
      swiftSettings: appleSettings + [.define("VIRTUAL_HID", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "hidsim",
      dependencies: [
        "CLinux", "HIDUsages", "CoreHID", "HIDPedals", "HIDSimulator", "HIDTraces", "HIDBus",
        "HIDDoctor",
        "HIDReportDescriptor", "HIDText", "InputStick", "InputStickAPI", "IOLoop",
        "KeyboardLayouts", "XKBLayouts", system,
      ]
        + only(
          "CommandLine",
          [
            ("ArgumentParser", "swift-argument-parser"), ("UnixSignals", "swift-service-lifecycle"),
            ("Subprocess", "swift-subprocess"),
          ]),
      swiftSettings: settings),

    // What tests share: the corpus, captures, and random bytes. Not a product.
    .target(
      name: "TestSupport", dependencies: ["CXKB", "XKBLayouts"], path: "Tests/TestSupport",
      swiftSettings: settings),

    // One test target for each of the above.
    .testTarget(
      name: "KeyboardLayoutsTests",
      dependencies: [
        "KeyboardLayouts", "XKBLayouts", "HIDReportDescriptor", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HIDUsagesTests", dependencies: ["HIDText", "HIDReportDescriptor"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HIDTextTests", dependencies: ["HIDText", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HIDReportDescriptorTests",
      dependencies: [
        "HIDReportDescriptor", "HIDText", "HIDUsages", "TestSupport",
      ],
      exclude: ["Oracles/disagreements.tsv"], swiftSettings: settings),
    .testTarget(
      name: "IOLoopTests", dependencies: ["IOLoop", system], swiftSettings: settings),
    .testTarget(
      name: "HIDBusTests", dependencies: ["HIDBus", "HIDReportDescriptor", "IOLoop"],
      swiftSettings: settings),
    .testTarget(
      name: "KernelBusTests",
      dependencies: [
        "HIDBus", "HIDReportDescriptor", "IOLoop", "CLinux",
        "TestSupport", system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LoopbackBusTests",
      dependencies: [
        "HIDUsages", "HIDBus", "HIDReportDescriptor", "IOLoop",
        "TestSupport", system,
      ],
      swiftSettings: settings),
    // What both buses do alike, and what only the kernel does.
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "HIDUsages", "HIDBus", "HIDReportDescriptor", "IOLoop",
        system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HIDTracesTests",
      dependencies: [
        "HIDUsages", "HIDTraces", "HIDReportDescriptor", "HIDText", "IOLoop", "TestSupport",
        .product(name: "Yams", package: "Yams"),
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "HIDSimulatorTests",
      dependencies: [
        "HIDUsages", "HIDSimulator", "HIDBus", "HIDTraces", "HIDReportDescriptor", "HIDText",
        "IOLoop",
        "KeyboardLayouts",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "InputStickTests",
      dependencies: [
        "HIDReportDescriptor", "InputStick", "InputStickAPI", "KeyboardLayouts", "HIDSimulator",
        "HIDBus",
        "HIDText",
        "IOLoop", "TestSupport",
      ],
      swiftSettings: settings),
    // Code as it is written for Apple's module, in both language modes, and nothing else.
    .target(
      name: "CoreHIDSamples", dependencies: ["CoreHID"], path: "Tests/CoreHIDSamples",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(
      name: "CoreHIDSamples5", dependencies: ["CoreHID"], path: "Tests/CoreHIDSamples5",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    // A client in a process of its own.
    .executableTarget(
      name: "CoreHIDClient", dependencies: ["CoreHID"], path: "Tests/CoreHIDClient",
      swiftSettings: settings),
    .testTarget(
      name: "CoreHIDTests",
      dependencies: [
        "CoreHIDClient",
        "CoreHID", "CoreHIDSamples", "CoreHIDSamples5", "HIDBus",
        .product(name: "Subprocess", package: "swift-subprocess"), system,
      ],
      exclude: ["Fixtures", "interface.tsv"], swiftSettings: appleSettings),
    // Code as it is written for Apple's module, in language mode 5.
    .target(
      name: "GameControllerSamples5",
      dependencies: [
        "CoreHaptics", "GameController", .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      path: "Tests/GameControllerSamples5",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "CoreHapticsTests", dependencies: ["CoreHaptics"], swiftSettings: appleSettings),
    .testTarget(
      name: "GameControllerTests",
      dependencies: [
        "HIDReportDescriptor", "HIDBus", "IOLoop", "GameController", "GameControllerSamples5",
        "CoreHaptics", "CoreHID", "HIDTesting",
      ],
      exclude: ["dualshock4-bluetooth.json", "xbox-bluetooth.json", "interface.tsv"],
      swiftSettings: appleSettings),
    // The examples, which are packages of their own as well, and the article of CoreHID, as a
    // reader's package has it.
    .target(
      name: "ShiftLight", dependencies: ["CoreHID"], path: "Examples/ShiftLight/Sources/ShiftLight",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(
      name: "Remapper", dependencies: ["CoreHID"], path: "Examples/Remapper/Sources/Remapper",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(
      name: "PasswordTyper", dependencies: ["InputStickAPI"],
      path: "Examples/PasswordTyper/Sources/PasswordTyper",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "HIDPedalsTests", dependencies: ["HIDPedals", "CoreHID", "HIDTesting"],
      swiftSettings: appleSettings),
    .target(
      name: "ModifierButton", dependencies: ["GameController"],
      path: "Examples/ModifierButton/Sources/ModifierButton",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(
      name: "PageTurner", dependencies: ["HIDPedals"],
      path: "Examples/PageTurner/Sources/PageTurner",
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "ShiftLight", "Remapper", "PasswordTyper", "ModifierButton", "PageTurner", "CoreHID",
        "HIDTesting",
        "KeyboardLayouts",
        "hidsim",
      ],
      path: "Examples",
      exclude: [
        "README.md", "first", "led-controller", "hidapi", "ShiftLight/Package.swift",
        "ShiftLight/Sources",
        "Remapper/Package.swift", "Remapper/Sources", "PasswordTyper/Package.swift",
        "PasswordTyper/Sources", "ModifierButton/Package.swift", "ModifierButton/Sources",
        "PageTurner/Package.swift", "PageTurner/Sources",
      ],
      sources: [
        "ShiftLight/Tests", "Remapper/Tests", "PasswordTyper/Tests", "ModifierButton/Tests",
        "PageTurner/Tests",
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "ShiftLightTests", dependencies: ["ShiftLight", "CoreHID", "TestSupport"],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    // That of HIDSimulator.
    .testTarget(
      name: "LockTests", dependencies: ["HIDSimulator", "HIDBus", "CoreHID", "TestSupport"],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "HIDTestingTests",
      dependencies: [
        "HIDTesting", "CoreHID", "HIDUsages", "HIDSimulator", "HIDBus", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: appleSettings),
    // The built program, in two processes; and its devices, before the kernel's own tests.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "HIDUsages", "hidsim", "CoreHIDClient", "HIDBus", "HIDSimulator", "HIDTraces",
        "IOLoop",
        "HIDReportDescriptor", "KeyboardLayouts", "TestSupport",
        .product(name: "Subprocess", package: "swift-subprocess"), system,
      ],
      exclude: ["Fixtures"], swiftSettings: settings),
  ]
)
