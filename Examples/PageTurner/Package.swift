// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "PageTurner",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../..", traits: ["Traces"])],
  targets: [
    .target(
      name: "PageTurner",
      dependencies: [
        .product(name: "HIDPedals", package: "hidsim")
      ]),
    .testTarget(
      name: "PageTurnerTests",
      dependencies: ["PageTurner", .product(name: "HIDTesting", package: "hidsim")]),
  ]
)
