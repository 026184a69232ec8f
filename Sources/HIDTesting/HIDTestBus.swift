// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import HIDBus
#endif

/// The bus that a test's devices are plugged into.
public enum HIDTestBus: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// The bus that the variable `HIDSIM_BUS` names; without it, or with `auto`, the kernel's if
  /// `/dev/uhid` can be opened, else a loopback bus.
  ///
  /// The first test of a process that chooses its bus in this way prints the bus to standard error.
  case automatic
  /// A loopback bus of the test's own, which nothing outside of the test sees.
  ///
  /// It needs no permission, and tests do not take turns on it: they can run at the same time.
  case loopback
  /// The kernel's bus: every program sees the devices.
  ///
  /// If `/dev/uhid` or its driver is missing, or this user may not open it, the test is skipped
  /// with the reason. If the variable `HIDSIM_REQUIRE` is set, and neither empty nor 0, the test
  /// fails instead. It also fails if `/dev/uhid` cannot be opened for another reason.
  ///
  /// Tests share 48 of the kernel's 64 hidraw nodes. A test waits until enough of them are free. It
  /// fails if it needs more than 48. It also waits while another test has a device with the same
  /// vendor and product ID.
  case kernel

  /// The USB bus: the devices are whole USB devices of the kernel, and every program sees them.
  ///
  /// It needs root and the kernel's driver `vhci_hcd`, as User-Mode Linux of `hidsim vm` has them.
  /// Without them the test is skipped or fails as on the bus ``kernel``. Tests take turns as there.
  case usb

  /// The buses that can be used here, for the arguments of a test.
  ///
  /// On Linux these are the loopback bus, and the kernel's bus if devices can be made there. The
  /// USB bus is not among them: a test names it.
  public static var available: [HIDTestBus] { [loopback, kernel].filter(\.isAvailable) }

  /// True if virtual devices can be plugged into the bus here, for `.enabled(if:)`.
  public var isAvailable: Bool {
    #if VIRTUAL_HID
      guard let bus = try? resolved() else { return false }
      return bus == .loopback || (try? HIDBus(bus.selection)) != nil
    #else
      false
    #endif
  }

  /// The name of the bus.
  public var description: String { rawValue }
}
