// SPDX-License-Identifier: Apache-2.0

import HIDWire

/// How a device is attached to its host.
public enum HIDDeviceTransport: Equatable, Sendable {
  /// Apple's interconnect for accessories.
  case aid
  /// AirPlay.
  case airPlay
  /// Bluetooth, basic rate.
  case bluetooth
  /// Apple's accessory protocol over Bluetooth.
  case bluetoothAACP
  /// Bluetooth low energy.
  case bluetoothLowEnergy
  /// A first-in, first-out queue.
  case fifo
  /// I2C.
  case i2c
  /// Apple's accessory protocol.
  case iap
  /// Inductive charging, in band.
  case inductiveInBand
  /// A serial line.
  case serial
  /// SPI.
  case spi
  /// A sensor processing unit.
  case spu
  /// USB.
  case usb
  /// No hardware at all.
  case virtual
  /// Any other, by the system's name for it.
  case unknown(String)
}

extension HIDDeviceTransport {
  /// The transport as the buses know it.
  init(_ transport: HIDTransport) {
    self =
      switch transport {
      case .usb: .usb
      case .bluetooth: .bluetooth
      case .bluetoothLowEnergy: .bluetoothLowEnergy
      case .i2c: .i2c
      case .spi: .spi
      case .virtual: .virtual
      case .other(let busType): Self.others[busType] ?? .unknown(transport.name)
      }
  }

  /// Numbers of buses that HID devices have and ``HIDTransport`` has no name for.
  ///
  /// Source: `BUS_RS232` in `linux/input.h`.
  private static let others: [UInt16: HIDDeviceTransport] = [0x13: .serial]

  /// What the buses call it: the kernel has a number for few of them, and none for the others.
  var wireTransport: HIDTransport {
    switch self {
    case .usb: .usb
    case .bluetooth, .bluetoothAACP: .bluetooth
    case .bluetoothLowEnergy: .bluetoothLowEnergy
    case .i2c: .i2c
    case .spi: .spi
    case .serial: .other(busType: 0x13)
    case .virtual, .aid, .airPlay, .fifo, .iap, .inductiveInBand, .spu, .unknown: .virtual
    }
  }

  /// The name that the property `Transport` has on macOS.
  ///
  /// Source: `IOHIDKeys.h`.
  var propertyName: String {
    switch self {
    case .aid: "AID"
    case .airPlay: "AirPlay"
    case .bluetooth: "Bluetooth"
    case .bluetoothAACP: "BT-AACP"
    case .bluetoothLowEnergy: "BluetoothLowEnergy"
    case .fifo: "FIFO"
    case .i2c: "I2C"
    case .iap: "iAP"
    case .inductiveInBand: "Inductive In-Band"
    case .serial: "Serial"
    case .spi: "SPI"
    case .spu: "SPU"
    case .usb: "USB"
    case .virtual: "Virtual"
    case .unknown(let name): name
    }
  }

  /// The transport with a property's name.
  init(propertyName name: String) {
    let known: [HIDDeviceTransport] = [
      .aid, .airPlay, .bluetooth, .bluetoothAACP, .bluetoothLowEnergy, .fifo, .i2c, .iap,
      .inductiveInBand, .serial, .spi, .spu, .usb, .virtual,
    ]
    self = known.first { $0.propertyName == name } ?? .unknown(name)
  }
}
