// swift-tools-version: 6.2
import PackageDescription

// The programs that scripts/bench, scripts/soak and scripts/fuzz --growth run.

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

/// Returns a program that uses libraries of hidsim.
func program(_ name: String, _ libraries: String...) -> Target {
  .executableTarget(
    name: name, dependencies: libraries.map { .product(name: $0, package: "hidsim") },
    swiftSettings: settings)
}

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "hidsim", path: "..")],
  targets: [
    program("DescriptorBench", "HIDReportDescriptor"),
    program("GrowthBench", "HIDReportDescriptor"),
    program(
      "WireBench", "HIDBus", "HIDSessions", "HIDSimulator", "HIDTraces", "HIDReportDescriptor"),
    program("USBBench", "HIDBus", "HIDReportDescriptor"),
    program("StickBench", "InputStick"),
    program("CoreHIDBench", "CoreHID", "HIDBus", "HIDReportDescriptor"),
    program("GameControllerBench", "GameController", "CoreHID", "HIDBus", "HIDReportDescriptor"),
  ]
)
