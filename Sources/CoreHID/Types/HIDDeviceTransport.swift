// SPDX-License-Identifier: Apache-2.0

import HIDBus

/// The transport by which a device is attached to its host.
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
  /// Any other transport, by its name.
  case unknown(String)
}

extension HIDDeviceTransport {
  /// Makes the transport from the form that the buses use.
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

  /// The transports for which ``HIDTransport`` has no name, by the kernel's bus number.
  ///
  /// Source: `BUS_RS232` in `linux/input.h`.
  private static let others: [UInt16: HIDDeviceTransport] = [0x13: .serial]

  /// The nearest transport in the form that the buses use; `virtual` if there is none.
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

  /// The value of the property `Transport` on macOS.
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

  /// Makes the transport from the value of the property `Transport` on macOS.
  init(propertyName name: String) {
    let known: [HIDDeviceTransport] = [
      .aid, .airPlay, .bluetooth, .bluetoothAACP, .bluetoothLowEnergy, .fifo, .i2c, .iap,
      .inductiveInBand, .serial, .spi, .spu, .usb, .virtual,
    ]
    self = known.first { $0.propertyName == name } ?? .unknown(name)
  }
}
