// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "PasswordTyper",
  dependencies: [.package(path: "../..", traits: ["CommandLine"])],
  targets: [
    .target(
      name: "PasswordTyper", dependencies: [.product(name: "InputStick", package: "hidsim")]),
    // The program hidsim simulates the stick of the test.
    .testTarget(
      name: "PasswordTyperTests",
      dependencies: [
        "PasswordTyper", .product(name: "KeyboardLayouts", package: "hidsim"),
        .product(name: "hidsim", package: "hidsim"),
      ]),
  ]
)
