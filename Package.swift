// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]
let pureSettings = settings + [.strictMemorySafety()]

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "hidsim",
  products: [
    .executable(name: "hidsim", targets: ["hidsim"]),
    .library(name: "HIDReportDescriptor", targets: ["HIDReportDescriptor"]),
    .library(name: "HIDSystem", targets: ["HIDSystem"]),
    .library(name: "HIDSimulator", targets: ["HIDSimulator"]),
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
  ],
  targets: [
    // Pure: bytes, names and values. No I/O.
    .target(name: "HIDUsages", exclude: ["usages.tsv"], swiftSettings: pureSettings),
    .target(name: "HIDText", swiftSettings: pureSettings),
    .target(
      name: "HIDReportDescriptor", dependencies: ["HIDUsages", "HIDText"],
      swiftSettings: pureSettings),
    .target(
      name: "HIDWire", dependencies: ["HIDReportDescriptor", "IOLoop", system],
      swiftSettings: pureSettings),

    // The kernel's doors, and the loop that waits at them.
    .target(name: "CLinux"),
    .target(
      name: "IOLoop",
      dependencies: ["CLinux", system, .product(name: "HeapModule", package: "swift-collections")],
      swiftSettings: settings),
    // Where the processes of one user find each other.
    .target(
      name: "HIDBusDirectory", dependencies: ["HIDWire", "HIDReportDescriptor", "CLinux", system],
      swiftSettings: settings),
    .target(
      name: "KernelBus",
      dependencies: [
        "HIDBusDirectory", "HIDWire", "IOLoop", "CLinux", "HIDReportDescriptor", system,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "LoopbackBus",
      dependencies: [
        "HIDBusDirectory", "HIDWire", "IOLoop", "CLinux", "HIDReportDescriptor", system,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "HIDSystem",
      dependencies: ["KernelBus", "LoopbackBus", "HIDBusDirectory", "HIDWire", "IOLoop", system],
      swiftSettings: settings),

    // Devices from files, and what they do.
    .target(
      name: "HIDTraces", dependencies: ["HIDReportDescriptor", "HIDText", "HIDWire"],
      swiftSettings: pureSettings),
    .target(
      name: "HIDSimulator",
      dependencies: [
        "HIDTraces", "HIDSystem", "HIDWire", "IOLoop", "HIDReportDescriptor", "HIDText",
        "HIDUsages", system, .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "hidsim",
      dependencies: [
        "HIDSimulator", "HIDTraces", "HIDSystem", "LoopbackBus", "HIDWire", "HIDReportDescriptor",
        "HIDText", "HIDUsages", "IOLoop",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        system,
      ],
      swiftSettings: settings),

    // What scripts/bench measures. Not products.
    .executableTarget(
      name: "DescriptorBench", dependencies: ["HIDReportDescriptor"], swiftSettings: settings),
    .executableTarget(
      name: "WireBench",
      dependencies: [
        "HIDSystem", "LoopbackBus", "HIDBusDirectory", "HIDWire", "HIDReportDescriptor", "IOLoop",
      ],
      swiftSettings: settings),

    // What tests share: the corpus, and random bytes. Not a product.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),

    // One test target for each of the above.
    .testTarget(
      name: "HIDUsagesTests", dependencies: ["HIDUsages"], swiftSettings: settings),
    .testTarget(
      name: "HIDTextTests", dependencies: ["HIDText", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HIDReportDescriptorTests",
      dependencies: ["HIDReportDescriptor", "HIDText", "HIDUsages", "TestSupport"],
      exclude: ["Oracles/disagreements.tsv"], swiftSettings: settings),
    .testTarget(
      name: "IOLoopTests", dependencies: ["IOLoop", system], swiftSettings: settings),
    .testTarget(
      name: "HIDWireTests", dependencies: ["HIDWire", "HIDReportDescriptor", "IOLoop"],
      swiftSettings: settings),
    .testTarget(
      name: "KernelBusTests",
      dependencies: [
        "KernelBus", "HIDBusDirectory", "HIDWire", "HIDReportDescriptor", "IOLoop", "CLinux",
        "TestSupport", system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LoopbackBusTests",
      dependencies: [
        "LoopbackBus", "HIDBusDirectory", "HIDWire", "HIDReportDescriptor", "IOLoop",
        "TestSupport", system,
      ],
      swiftSettings: settings),
    // What both buses do alike, and what only the kernel does.
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "KernelBus", "LoopbackBus", "HIDBusDirectory", "HIDWire", "HIDReportDescriptor", "IOLoop",
        system,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HIDTracesTests", dependencies: ["HIDTraces", "HIDText", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "HIDSimulatorTests",
      dependencies: [
        "HIDSimulator", "HIDSystem", "HIDTraces", "HIDBusDirectory", "HIDWire",
        "HIDReportDescriptor", "HIDText", "HIDUsages", "IOLoop", "TestSupport",
      ],
      swiftSettings: settings),
    // The built program, in two processes.
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["hidsim", .product(name: "Subprocess", package: "swift-subprocess"), system],
      exclude: ["Fixtures"], swiftSettings: settings),
  ]
)

// What scripts/fuzz builds, and nothing else: each program is a file with a function that takes any bytes.
if let kind = Context.environment["HIDSIM_FUZZ"] {
  let fuzzed = [
    "Builder", "Difference", "Evdev", "Lint", "Parse", "ReadAny", "ReadC", "ReadHex", "ReadItems",
    "ReadLines", "ReadRecording", "Values", "Words", "Write",
  ]
  let pure = ["HIDUsages", "HIDText", "HIDReportDescriptor"]
  func program(_ name: String) -> Target {
    .executableTarget(
      name: "Fuzz\(name)",
      dependencies: ["FuzzSupport", "HIDReportDescriptor", "HIDText", "HIDUsages"],
      path: "Sources/Fuzz",
      exclude: (fuzzed + ["Growth"]).filter { $0 != name }.map { "\($0).swift" } + ["Support"],
      sources: ["\(name).swift"], swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  }
  package.products = []
  package.dependencies = []
  package.targets = package.targets.filter { pure.contains($0.name) }
  package.targets.append(
    .target(
      name: "FuzzSupport", dependencies: ["HIDReportDescriptor", "HIDText"],
      path: "Sources/Fuzz/Support", swiftSettings: settings))
  package.targets += (kind == "growth" ? ["Growth"] : fuzzed).map(program)
}
