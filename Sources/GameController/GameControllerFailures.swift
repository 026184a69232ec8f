// SPDX-License-Identifier: Apache-2.0

/// Information that Apple's framework does not give.
public enum HIDSimGameController {
  /// The devices that could not be opened, and why: the newest 64, the oldest first.
  ///
  /// Apple's framework leaves out a device that it cannot open, and so does this one.
  public static var failures: [String] { Registry.current.failures }
}
