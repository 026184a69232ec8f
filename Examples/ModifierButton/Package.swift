// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ModifierButton",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../..", traits: ["Traces"])],
  targets: [
    .target(
      name: "ModifierButton",
      dependencies: [
        .product(name: "GameController", package: "hidsim", condition: .when(platforms: [.linux]))
      ]),
    .testTarget(
      name: "ModifierButtonTests",
      dependencies: ["ModifierButton", .product(name: "HIDTesting", package: "hidsim")]),
  ]
)
