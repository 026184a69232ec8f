// swift-tools-version: 6.2
import PackageDescription

// The programs that scripts/fuzz runs. Each is a file with a function that takes any bytes.

// They use declarations of the library with the access level `package`, which the compiler refuses
// in another package without the last option.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-Xfrontend", "-disable-access-control"]),
]

func libraries(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "hidsim") }
}

/// Returns programs that have the same dependencies.
func programs(_ names: [String], _ dependencies: [Target.Dependency] = []) -> [Target] {
  names.map { name in
    .executableTarget(
      name: "Fuzz\(name)",
      dependencies: ["FuzzSupport"] + libraries("HIDReportDescriptor") + dependencies,
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  }
}

let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(name: "hidsim", path: "..", traits: ["InputStick"]),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .target(
      name: "FuzzSupport", dependencies: libraries("HIDReportDescriptor", "HIDTraces"),
      swiftSettings: settings)
  ]
    + programs([
      "Builder", "Difference", "Evdev", "Lint", "Parse", "ReadAny", "ReadC", "ReadHex", "ReadItems",
      "ReadLines", "ReadRecording", "Values", "Words", "Write",
    ])
    // The programs that read traces.
    + programs(
      [
        "ReadTrace", "ReadTraceAndroid", "ReadTraceLibinput", "ReadTraceUmockdev", "TraceCapture",
      ], libraries("HIDTraces"))
    // The programs that read the files and streams of the simulator.
    + programs(
      ["DeviceFile", "Script", "Stream"], libraries("HIDSessions", "HIDSimulator", "HIDTraces"))
    // The programs that read the packets of the InputStick, and the data that its client stores.
    + programs(["StickClient", "StickPackets"], libraries("InputStick"))
    // The program that reads requests of a page in a browser.
    + programs(["Request"])
    // The programs that read the messages of another process, on any bus.
    + programs(
      ["ControlSocket", "LoopbackClient", "LoopbackDevice", "HostTransfers"],
      libraries("HIDBus") + [.product(name: "SystemPackage", package: "swift-system")])
)
