// SPDX-License-Identifier: Apache-2.0

/// Information that Apple's framework does not give.
public enum HIDSimGameController {
  /// The failures to find or open devices of the current bus, with their reasons: the newest 64, in
  /// order of time.
  ///
  /// Apple's framework does not list a device that it cannot open. hidsim does not list it either.
  public static var failures: [String] { Registry.current.failures }
}
