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

// Those of the examples, and of code as it is written for Apple's modules.
let userSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

/// Returns products of packages that only users of some traits need.
///
/// SwiftPM does not fetch them if none of the traits is enabled.
func only(
  _ traits: Set<String>, _ products: [(name: String, package: String)]
) -> [Target.Dependency] {
  products.map { .product(name: $0.name, package: $0.package, condition: .when(traits: traits)) }
}

func library(
  _ name: String, _ needs: Target.Dependency..., more: [Target.Dependency] = [],
  at path: String? = nil, exclude: [String] = [], with settings: [SwiftSetting] = settings
) -> Target {
  .target(
    name: name, dependencies: needs + more, path: path, exclude: exclude, swiftSettings: settings)
}

/// The files of a page in a browser, which the program contains.
func page(_ files: [String]) -> [Resource] { files.map { .embedInCode("Page/\($0)") } }

func tests(
  _ name: String, _ needs: Target.Dependency..., exclude: [String] = [],
  with settings: [SwiftSetting] = settings
) -> Target {
  .testTarget(name: name, dependencies: needs, exclude: exclude, swiftSettings: settings)
}

/// An example, which is a package of its own as well.
func example(_ name: String, _ needs: Target.Dependency...) -> Target {
  .target(
    name: name, dependencies: needs, path: "Examples/\(name)/Sources/\(name)",
    swiftSettings: userSettings)
}
let examples = ["ShiftLight", "Remapper", "PasswordTyper", "ModifierButton", "PageTurner"]

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
    .library(name: "HIDSessions", targets: ["HIDSessions"]),
    .library(name: "HIDTesting", targets: ["HIDTesting"]),
    .library(name: "InputStick", targets: ["InputStickAPI"]),
  ],
  // The packages of a product besides CoreHID's. HIDReportDescriptor, CoreHID and HIDBus work
  // with `traits: []`. No trait enables another one: SwiftPM gives the compiler the enabled traits
  // in an order that changes from call to call, and compiles everything anew when it has changed.
  traits: [
    .trait(
      name: "Traces",
      description: "HIDTraces, HIDSimulator, HIDSessions, HIDTesting: YAML, histograms"),
    .trait(name: "InputStick", description: "InputStick, with what Traces has"),
    .trait(
      name: "CommandLine",
      description: "The program hidsim: options, signals, child processes, and what the others have"
    ),
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
    // Libraries of C, of which three are loaded when they are needed.
    .target(name: "CLinux"), .target(name: "CUdev"), .target(name: "CXKB"),
    .target(name: "COpenSSL"),
    // Pure: bytes, names and values. No I/O.
    library("HIDUsages", exclude: ["usages.tsv"], with: pureSettings),
    library("HIDText", with: pureSettings),
    library("HIDReportDescriptor", "HIDUsages", "HIDText", with: pureSettings),
    library("KeyboardLayouts", "HIDUsages", exclude: ["NOTICE"], with: pureSettings),
    // Layouts of the machine, by libxkbcommon.
    library(
      "XKBLayouts", "CXKB", "HIDReportDescriptor", "HIDText", "HIDUsages", "KeyboardLayouts"),
    // The epoll loop, and time.
    library(
      "IOLoop", "CLinux", system, .product(name: "HeapModule", package: "swift-collections")),
    // A device that is plugged into a host, and its two ends, on each bus.
    library(
      "HIDBus", "CLinux", "CUdev", "HIDReportDescriptor", "HIDText", "HIDUsages", "IOLoop", system,
      deques),
    // The checks of hidsim doctor.
    library("HIDDoctor", "HIDBus", "IOLoop", system),

    // Apple's frameworks, and page-turner pedals.
    library(
      "CoreHID", "HIDBus", "HIDReportDescriptor", "HIDUsages", "IOLoop", deques, with: appleSettings
    ),
    library("CoreHaptics", with: appleSettings),
    library(
      "GameController", "CoreHID", "CoreHaptics", "HIDBus", "HIDReportDescriptor", "HIDText",
      "HIDUsages", "IOLoop", with: appleSettings),
    library("HIDPedals", "CoreHID", "HIDBus", with: appleSettings),

    // Traces; devices from files, and what they do.
    library(
      "HIDTraces", "HIDReportDescriptor", "HIDText", "IOLoop", system, deques,
      .product(name: "OrderedCollections", package: "swift-collections"),
      more: only(
        ["Traces", "InputStick", "CommandLine"],
        [("Yams", "Yams"), ("Histogram", "hdrhistogram-swift")]),
      with: pureSettings),
    library(
      "HIDSimulator", "HIDBus", "HIDReportDescriptor", "HIDText", "HIDTraces", "HIDUsages",
      "IOLoop", system, deques),
    // What one does with them: scripts, the stream, replays, recordings and proxies.
    library(
      "HIDSessions", "HIDBus", "HIDReportDescriptor", "HIDSimulator", "HIDText", "HIDTraces",
      "HIDUsages", "IOLoop", "KeyboardLayouts", "XKBLayouts", system),
    // The InputStick: its packets, the simulated stick, its link; and the client library.
    library(
      "InputStick", "CLinux", "COpenSSL", "HIDBus", "HIDSessions", "HIDSimulator", "HIDText",
      "IOLoop", system),
    library("InputStickAPI", "HIDBus", "InputStick", "IOLoop", "KeyboardLayouts"),
    // Events as a timeline that a page draws, and reports in one HTML file.
    .target(
      name: "HIDTimeline",
      dependencies: [
        "HIDReportDescriptor", "HIDSessions", "HIDSimulator", "HIDText", "HIDTraces", "IOLoop",
      ],
      resources: page(["dom.js", "report.css", "report.js", "timeline.css", "timeline.js"]),
      swiftSettings: settings),
    // The page in a browser, and its server.
    .target(
      name: "HIDBench",
      dependencies: [
        "HIDBus", "HIDReportDescriptor", "HIDSessions", "HIDSimulator", "HIDText", "HIDTimeline",
        "HIDTraces", "IOLoop", "InputStick", "KeyboardLayouts", "XKBLayouts",
      ],
      resources: page([
        "index.html", "bench.css", "adding.js", "bench.js", "controls.js", "device.js",
        "elements.js", "faults.js", "keyboard.js", "list.js", "other.js", "panel-link.js",
        "panel-state.js", "panel-usb.js", "panels.js", "recorder.js", "serial.js", "store.js",
        "surface.js",
        "trace.js",
      ]),
      swiftSettings: settings),
    // What a user's tests import; on macOS it has no devices, and Apple's CoreHID.
    library(
      "HIDTesting",
      more: [
        "CoreHID", "HIDBus", "HIDReportDescriptor", "HIDSessions", "HIDSimulator", "HIDText",
        "HIDTimeline", "HIDTraces", "HIDUsages",
      ].map { .target(name: $0, condition: .when(platforms: [.linux])) },
      with: appleSettings + [.define("VIRTUAL_HID", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "hidsim",
      dependencies: [
        "CLinux", "CoreHID", "HIDBench", "HIDBus", "HIDDoctor", "HIDPedals", "HIDReportDescriptor",
        "HIDSessions", "HIDSimulator", "HIDText", "HIDTimeline", "HIDTraces", "HIDUsages", "IOLoop",
        "InputStick", "InputStickAPI", "KeyboardLayouts", "XKBLayouts", system,
      ]
        + only(
          ["CommandLine"],
          [
            ("ArgumentParser", "swift-argument-parser"), ("UnixSignals", "swift-service-lifecycle"),
            ("Subprocess", "swift-subprocess"),
          ]),
      swiftSettings: settings),

    // What tests share: the corpus, captures, and random bytes. Not a product.
    library("TestSupport", "CXKB", "XKBLayouts", at: "Tests/TestSupport"),
    tests("HIDUsagesTests", "HIDReportDescriptor", "HIDText"),
    tests("HIDTextTests", "HIDText", "TestSupport"),
    tests(
      "HIDReportDescriptorTests", "HIDReportDescriptor", "HIDText", "HIDUsages", "TestSupport",
      exclude: ["Oracles/disagreements.tsv"]),
    tests(
      "KeyboardLayoutsTests", "HIDReportDescriptor", "KeyboardLayouts", "TestSupport", "XKBLayouts"),
    tests("IOLoopTests", "IOLoop", system),
    tests("HIDBusTests", "HIDBus", "HIDReportDescriptor", "IOLoop", system),
    tests(
      "KernelBusTests", "CLinux", "HIDBus", "HIDReportDescriptor", "IOLoop", "TestSupport", system),
    tests(
      "LoopbackBusTests", "HIDBus", "HIDReportDescriptor", "HIDUsages", "IOLoop", "TestSupport",
      system),
    // What both buses do alike, and what only the kernel does.
    tests("ConformanceTests", "HIDBus", "HIDReportDescriptor", "HIDUsages", "IOLoop", system),
    tests(
      "HIDTracesTests", "HIDReportDescriptor", "HIDText", "HIDTraces", "HIDUsages", "IOLoop",
      "TestSupport", .product(name: "Yams", package: "Yams"), exclude: ["Fixtures"]),
    tests(
      "HIDSimulatorTests", "HIDBus", "HIDReportDescriptor", "HIDSessions", "HIDSimulator",
      "HIDText", "HIDTraces", "HIDUsages", "IOLoop", "KeyboardLayouts", "TestSupport", system),
    tests(
      "InputStickTests", "HIDBus", "HIDReportDescriptor", "HIDSimulator", "HIDText", "IOLoop",
      "InputStick", "InputStickAPI", "KeyboardLayouts", "TestSupport"),
    // Code as it is written for Apple's modules, in both language modes, and nothing else.
    library("CoreHIDSamples", "CoreHID", at: "Tests/CoreHIDSamples", with: userSettings),
    library(
      "CoreHIDSamples5", "CoreHID", at: "Tests/CoreHIDSamples5",
      with: [.swiftLanguageMode(.v5)] + userSettings),
    library(
      "GameControllerSamples5", "CoreHaptics", "GameController",
      .product(name: "OpenCombine", package: "OpenCombine"), at: "Tests/GameControllerSamples5",
      with: [.swiftLanguageMode(.v5)] + userSettings),
    // A client in a process of its own.
    .executableTarget(
      name: "CoreHIDClient", dependencies: ["CoreHID"], path: "Tests/CoreHIDClient",
      swiftSettings: settings),
    tests(
      "CoreHIDTests", "CoreHID", "CoreHIDClient", "CoreHIDSamples", "CoreHIDSamples5", "HIDBus",
      subprocess, system, exclude: ["Fixtures", "interface.tsv"], with: appleSettings),
    tests("CoreHapticsTests", "CoreHaptics", with: appleSettings),
    tests(
      "GameControllerTests", "CoreHID", "CoreHaptics", "GameController", "GameControllerSamples5",
      "HIDBus", "HIDReportDescriptor", "HIDTesting", "IOLoop",
      exclude: ["dualshock4-bluetooth.json", "xbox-bluetooth.json", "interface.tsv"],
      with: appleSettings),
    tests(
      "HIDBenchTests", "HIDBench", "HIDBus", "HIDSessions", "HIDSimulator", "InputStick",
      "TestSupport"),
    tests("HIDPedalsTests", "CoreHID", "HIDPedals", "HIDTesting", with: appleSettings),
    tests(
      "HIDTestingTests", "CoreHID", "HIDBus", "HIDSessions", "HIDSimulator", "HIDTesting",
      "HIDUsages", "TestSupport", exclude: ["Fixtures"], with: appleSettings),
    // The examples, and the code of two articles, as a reader's package has it.
    example("ShiftLight", "CoreHID"), example("Remapper", "CoreHID"),
    example("PasswordTyper", "InputStickAPI"), example("ModifierButton", "GameController"),
    example("PageTurner", "HIDPedals"),
    .testTarget(
      name: "ExampleTests",
      dependencies: examples.map { .byName(name: $0) } + [
        "CoreHID", "HIDTesting", "KeyboardLayouts", "hidsim",
      ],
      path: "Examples",
      exclude: ["README.md", "browser", "first", "led-controller", "hidapi"]
        + examples.flatMap { ["\($0)/Package.swift", "\($0)/Sources"] },
      sources: examples.map { "\($0)/Tests" }, swiftSettings: userSettings),
    tests("ShiftLightTests", "CoreHID", "ShiftLight", "TestSupport", with: userSettings),
    tests("LockTests", "CoreHID", "HIDBus", "HIDSimulator", "TestSupport", with: userSettings),
    // The built program, in two processes; and its devices, before the kernel's own tests.
    tests(
      "EndToEndTests", "CoreHIDClient", "HIDBus", "HIDReportDescriptor", "HIDSessions",
      "HIDSimulator", "HIDTraces", "HIDUsages", "IOLoop", "KeyboardLayouts", "TestSupport",
      "hidsim", subprocess, system, exclude: ["Fixtures"]),
  ]
)
