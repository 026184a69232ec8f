// SPDX-License-Identifier: Apache-2.0

/// How many of a device's reports have come, and how many have not.
struct ReportTally: Sendable {
  /// How many reports wait in the kernel at most, which drops the next one: `HIDRAW_BUFFER_SIZE`
  /// less one (6.12).
  private static let kernelQueue = 63
  /// The most that is counted as missed in all: a device that counts more makes no sense.
  private static let maximumLoss: UInt64 = 1 << 48

  /// How many the device had sent, how many had come, and how many were missed, when counting began.
  private var base: (sent: UInt64, received: UInt64, lost: UInt64)?
  /// Whether ``base`` holds: nothing was sent while it was taken, and nothing can have been dropped before.
  ///
  /// Else ``lost`` is the least that can have been missed.
  private(set) var isBaseExact = false
  private var received: UInt64 = 0
  /// How many reports were missed.
  private(set) var lost: UInt64 = 0

  /// Counts reports that came.
  mutating func note(_ count: Int) { received &+= UInt64(count) }

  /// Compares, when all there was has been read.
  ///
  /// What came since the device has counted hides as many that were missed, until it has counted
  /// again.
  ///
  /// - Parameters:
  ///   - question: What the device says.
  ///   - sent: How many reports the device has sent by now; `nil` where it does not tell.
  /// - Returns: How many were missed that were not known to be.
  mutating func settle(_ question: ControlClient.Question, sent: UInt64? = nil) -> Int {
    if base != nil, !question.isFirst || isBaseExact { return settle(sent: question.sent) }
    let since = received &- (base?.received ?? 0)
    if base == nil, question.sent == 0 {
      // The device had sent nothing: all that came, came after its question.
      isBaseExact = sent != nil
      base = (0, 0, lost)
      return 0
    }
    // A full queue may have dropped reports, unless all that was sent has come.
    let mayHaveLost =
      base != nil || received >= UInt64(Self.kernelQueue) && received != question.sent
    isBaseExact = !mayHaveLost && sent == question.sent
    // A device that has given its client up does not wait for the answer. As many of the reports
    // as can have come after the question count as such, so that none is called missed that came.
    let after = isBaseExact ? 0 : min(since, mostSent(after: question, by: sent))
    base = (question.sent, received &- after, lost)
    return 0
  }

  /// How many reports a device can have sent after a question.
  private func mostSent(after question: ControlClient.Question, by sent: UInt64?) -> UInt64 {
    guard let sent else { return .max }
    guard sent != question.sent else { return 0 }
    // It counts reports once they are sent: a window of them may not be counted yet.
    return min(sent &- question.sent, Self.maximumLoss) + ReportCredits.window
  }

  /// Compares, when all there was has been read.
  ///
  /// - Parameter sent: How many reports the device had sent before.
  /// - Returns: How many were missed that were not known to be.
  mutating func settle(sent: UInt64) -> Int {
    let missed = missing(of: sent)
    lost += UInt64(missed)
    return missed
  }

  /// How many reports are missing of those that the device has sent, and were not counted as lost.
  private mutating func missing(of sent: UInt64) -> Int {
    guard let base else { return 0 }
    let expected = sent &- base.sent
    let known = (received &- base.received) &+ (lost &- base.lost)
    guard expected > known else { return 0 }
    // In all, too: a device can begin anew as often as it likes.
    guard expected - known < Self.maximumLoss - lost else {
      isBaseExact = false
      return 0
    }
    return Int(expected - known)
  }
}
