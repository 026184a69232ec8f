// SPDX-License-Identifier: Apache-2.0

/// The stick's way back to its defaults: ten times its user sets the LEDs that it names, by the
/// Lock keys of another keyboard.
///
/// The fields of the status are those of the manufacturer's papers (4, 0x16).
package struct StickRestore: Hashable, Sendable {
  private static let stepCount: UInt8 = 10
  private static let secondsPerStep: UInt8 = 60

  private var done: UInt8 = 0
  private var secondsLeft = Self.secondsPerStep
  private var leds: UInt8
  private var wanted: UInt8
  /// Whether it goes on.
  package private(set) var isRunning = true
  /// Whether all steps are done.
  package var isComplete: Bool { done == Self.stepCount }

  /// The status of one that is cancelled, or whose time is over: all zeros.
  package static let ended = [UInt8](repeating: 0, count: 5)

  /// Starts.
  ///
  /// - Parameter leds: The LEDs now.
  package init(leds: UInt8) {
    self.leds = leds & 7
    wanted = Self.next(after: leds & 7)
  }

  /// One of the three LEDs has to change: the next one.
  private static func next(after leds: UInt8) -> UInt8 { leds ^ (1 << (leds % 3)) }

  /// The status: 1 while it goes on, steps done, steps in all, the LEDs wanted next, seconds left.
  package var status: [UInt8] {
    isRunning ? [1, done, Self.stepCount, wanted, secondsLeft] : Self.ended
  }

  /// Takes the LEDs that the host has set.
  ///
  /// - Returns: The new status; nil if nothing changes. Other LEDs than the wanted ones end it,
  ///   with the status 2.
  package mutating func take(leds: UInt8) -> [UInt8]? {
    let leds = leds & 7
    guard isRunning, leds != self.leds else { return nil }
    self.leds = leds
    guard leds == wanted else {
      isRunning = false
      return [2, done, Self.stepCount, wanted, secondsLeft]
    }
    done += 1
    secondsLeft = Self.secondsPerStep
    wanted = Self.next(after: leds)
    if isComplete {
      isRunning = false
      return [0, done, Self.stepCount, 0, 0]
    }
    return status
  }

  /// Takes a second.
  ///
  /// - Returns: The new status; the last one ends it.
  package mutating func second() -> [UInt8] {
    secondsLeft -= 1
    if secondsLeft == 0 { isRunning = false }
    return status
  }
}
