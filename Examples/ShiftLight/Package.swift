// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ShiftLight",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../..", traits: ["Traces"])],
  targets: [
    .target(
      name: "ShiftLight",
      dependencies: [
        .product(name: "CoreHID", package: "hidsim", condition: .when(platforms: [.linux]))
      ]),
    .testTarget(
      name: "ShiftLightTests",
      dependencies: ["ShiftLight", .product(name: "HIDTesting", package: "hidsim")]),
  ]
)
