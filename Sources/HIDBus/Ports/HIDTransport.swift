// SPDX-License-Identifier: Apache-2.0

/// The transport by which a device is attached to its host.
public enum HIDTransport: Hashable, Sendable {
  /// USB.
  case usb
  /// Bluetooth, basic rate.
  case bluetooth
  /// Bluetooth low energy, with the kernel's bus number of ``bluetooth``.
  case bluetoothLowEnergy
  /// I2C.
  case i2c
  /// SPI.
  case spi
  /// No hardware.
  case virtual
  /// A bus without a name in this library: a recording can contain any number.
  case other(busType: UInt16)

  /// The transports that a device file can name, in the order that messages list them.
  public static let named: [HIDTransport] = [
    .usb, .bluetooth, .bluetoothLowEnergy, .i2c, .spi, .virtual,
  ]

  /// Makes a transport from the name that device files use; `nil` for any other name.
  ///
  /// - Parameter name: `usb`, `bluetooth`, `bluetoothLowEnergy`, `i2c`, `spi` or `virtual`.
  public init?(name: String) {
    guard let transport = Self.named.first(where: { $0.name == name }) else { return nil }
    self = transport
  }

  /// Makes a transport from the kernel's bus number; 5 is ``bluetooth``.
  public init(busType: UInt16) {
    self = Self.named.first { $0.busType == busType } ?? .other(busType: busType)
  }

  /// The kernel's number for the bus.
  ///
  /// Source: `BUS_USB` and its neighbours in `linux/input.h`.
  public var busType: UInt16 {
    switch self {
    case .usb: 0x03
    case .bluetooth, .bluetoothLowEnergy: 0x05
    case .virtual: 0x06
    case .i2c: 0x18
    case .spi: 0x1C
    case .other(let busType): busType
    }
  }

  /// The name that device files and messages use; `bus 0x1f` for a bus without one.
  public var name: String {
    switch self {
    case .usb: "usb"
    case .bluetooth: "bluetooth"
    case .bluetoothLowEnergy: "bluetoothLowEnergy"
    case .i2c: "i2c"
    case .spi: "spi"
    case .virtual: "virtual"
    case .other(let busType): "bus 0x" + String(busType, radix: 16)
    }
  }
}
