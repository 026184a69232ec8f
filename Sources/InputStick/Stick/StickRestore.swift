// SPDX-License-Identifier: Apache-2.0

/// The procedure that restores the defaults of an InputStick.
///
/// Ten times, the stick names LEDs, and its user sets them with the Lock keys of another keyboard.
///
/// The fields of the status are those of the manufacturer's documents (section 4, command 0x16).
package struct StickRestore: Hashable, Sendable {
  private static let stepCount: UInt8 = 10
  private static let secondsPerStep: UInt8 = 60

  private var done: UInt8 = 0
  private var secondsLeft = Self.secondsPerStep
  private var leds: UInt8
  private var wanted: UInt8
  /// True until the procedure is complete, or has ended early.
  package private(set) var isRunning = true
  /// True if all steps are done.
  package var isComplete: Bool { done == Self.stepCount }

  /// The status of a procedure that was cancelled or has timed out: all zeros.
  package static let ended = [UInt8](repeating: 0, count: 5)

  /// Starts the procedure.
  ///
  /// - Parameter leds: The byte of the LEDs that the host has set last.
  package init(leds: UInt8) {
    self.leds = leds & 7
    wanted = Self.next(after: leds & 7)
  }

  /// Returns the LEDs of the next step: one of the three has changed.
  private static func next(after leds: UInt8) -> UInt8 { leds ^ (1 << (leds % 3)) }

  /// The status of a running procedure: 1, steps done, all steps, the LEDs wanted next, seconds
  /// left; ``ended`` if it does not run any more.
  package var status: [UInt8] {
    isRunning ? [1, done, Self.stepCount, wanted, secondsLeft] : Self.ended
  }

  /// Advances the procedure with the LEDs that the host has set.
  ///
  /// - Returns: The new status; nil if nothing changes. Its first byte is 0 if all steps are done,
  ///   and 2 if the LEDs are not the wanted ones, which ends the procedure.
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

  /// Counts down one second of the current step.
  ///
  /// - Returns: The new status; ``ended`` when the time of the step is over.
  package mutating func second() -> [UInt8] {
    secondsLeft -= 1
    if secondsLeft == 0 { isRunning = false }
    return status
  }
}
