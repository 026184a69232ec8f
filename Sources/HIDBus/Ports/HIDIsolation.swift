// SPDX-License-Identifier: Apache-2.0

/// The method that keeps a device's input away from a user's desktop.
public enum HIDIsolation: Hashable, Sendable {
  /// No method is needed: the bus reaches no desktop, or the device has no evdev nodes.
  case notNeeded
  /// No method is used: hidsim assumes that no user is at a desktop, or the caller asked for live
  /// input.
  case live
  /// A udev rule: desktops ignore the device; programs that open its nodes receive its input.
  case rule
  /// This process has grabbed the evdev nodes.
  ///
  /// Other programs that read them receive no input. Readers of hidraw are not affected.
  case grabbed
}
