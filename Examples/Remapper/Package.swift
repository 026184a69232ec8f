// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Remapper",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../..", traits: ["Traces"])],
  targets: [
    .target(
      name: "Remapper",
      dependencies: [
        .product(name: "CoreHID", package: "hidsim", condition: .when(platforms: [.linux]))
      ]),
    .testTarget(
      name: "RemapperTests",
      dependencies: ["Remapper", .product(name: "HIDTesting", package: "hidsim")]),
  ]
)
