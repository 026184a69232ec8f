// SPDX-License-Identifier: Apache-2.0

// The settings of a USB device in a device file, which a report descriptor does not have.

extension HIDLintRule {
  /// An interface has a boot protocol, but nothing that its report has.
  public static let usbBootReport = HIDLintRule(
    "usb-boot-report", .warning, [.specification],
    "an interface with a boot protocol whose input reports have nothing that a boot report has",
    "A BIOS reads no report descriptor: it chooses the boot protocol, and expects modifiers and six "
      + "keys from a keyboard, three buttons and a movement from a mouse (HID 1.11, appendix B). "
      + "hidsim makes these reports from the input reports.")
  /// A report needs several packets, one an interval.
  public static let usbSlowReport = HIDLintRule(
    "usb-slow-report", .note, [.linux, .windows, .macOS],
    "a report of several packets at low or full speed, with an interval above 1 ms",
    "A host takes one packet in each interval, so the whole report takes several intervals (USB "
      + "2.0, section 5.7.4, and HID 1.11, section 8.4).")
  /// A device file has settings of a USB device, and another transport.
  public static let usbTransport = HIDLintRule(
    "usb-transport", .note, [.linux], "settings of a USB device beside another transport",
    "Only the bus usb has the settings, and its devices have the transport usb. On other buses the "
      + "device has the transport that the file names.")

  /// A game controller has another identity on Linux than the product.
  public static let evdevIdentity = HIDLintRule(
    "evdev-identity", .warning, [.linux],
    "a known game controller whose version is not that of the product on Linux",
    "SDL and other programs know a game controller by its bus, vendor ID, product ID and version. On "
      + "USB the version is that of the HID specification that the device names, mostly 1.11; on "
      + "Bluetooth it is the release number. With another version its buttons can have wrong names."
  )

  /// The rules about the device in a device file.
  static let usb = [usbBootReport, usbSlowReport, usbTransport, evdevIdentity]
}
