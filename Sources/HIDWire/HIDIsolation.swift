// SPDX-License-Identifier: Apache-2.0

/// What keeps a device's input from a person's desktop.
public enum HIDIsolation: Hashable, Sendable {
  /// Nothing needs to: the bus reaches no desktop.
  case notNeeded
  /// Nothing does: nobody is there who could be typed at, or it was asked for.
  case live
  /// A udev rule: desktops leave the device alone, programs that open its nodes see everything.
  case rule
  /// Its evdev nodes are held by us: programs that read them see no input; hidraw is not affected.
  case grabbed
}
