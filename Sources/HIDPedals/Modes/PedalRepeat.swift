// SPDX-License-Identifier: Apache-2.0

/// The way in which a pedal that stays down counts as pressed again.
public enum PedalRepeat: Hashable, Sendable {
  /// No repeat: each stroke is one press.
  case none
  /// By the ``PedalMonitor``: once after the delay, then after each interval; each at least 10 ms.
  case monitor(delay: Duration, interval: Duration)
  /// By the device, which releases its key and presses it again.
  ///
  /// A press within the window after a release is a repeat of the same stroke. Therefore `up` comes
  /// one window after the release.
  case device(window: Duration)

  /// The shortest delay and interval of repeats by the ``PedalMonitor``.
  static let shortest = Duration.milliseconds(10)

  /// Makes the `monitor` case from the delay and the rate that a device stores.
  ///
  /// - Parameters:
  ///   - multiplier: The delay, in units of 4 s / 255.
  ///   - divisor: The number of repeats in 4 s.
  /// - Returns: The repeat; `none` if one of the parameters is 0.
  public static func monitor(delayMultiplier multiplier: UInt8, rateDivisor divisor: UInt8) -> Self
  {
    guard multiplier > 0, divisor > 0 else { return .none }
    return .monitor(
      delay: .seconds(4) * Int(multiplier) / 255, interval: .seconds(4) / Int(divisor))
  }
}
