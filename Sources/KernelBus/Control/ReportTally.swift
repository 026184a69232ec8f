// SPDX-License-Identifier: Apache-2.0

/// How many of a device's reports have come, and how many have not.
struct ReportTally: Sendable {
  /// How many reports the kernel queues before it drops one (`HIDRAW_BUFFER_SIZE` less one, Linux
  /// 6.12).
  private static let kernelQueue = 63
  /// The most reports counted as missed, in all: greater losses that a device claims are ignored.
  private static let maximumLoss: UInt64 = 1 << 48

  /// How many the device had sent, how many had come, and how many were missed, when counting began.
  private var base: (sent: UInt64, received: UInt64, lost: UInt64)?
  /// Whether ``base`` is exact: nothing was sent while it was taken, and nothing can have been
  /// dropped before.
  ///
  /// Otherwise ``lost`` is a lower bound.
  private(set) var isBaseExact = false
  private var received: UInt64 = 0
  /// How many reports were missed.
  private(set) var lost: UInt64 = 0

  /// Counts reports that came.
  mutating func note(_ count: Int) { received &+= UInt64(count) }

  /// Compares, when all there was has been read.
  ///
  /// Reports that came after the device counted hide an equal number of missed ones, until it
  /// counts again.
  ///
  /// - Parameters:
  ///   - question: The device's question.
  ///   - sent: How many reports the device has sent by now; `nil` if it does not say.
  /// - Returns: How many were missed that were not known to be.
  mutating func settle(_ question: ControlClient.Question, sent: UInt64? = nil) -> Int {
    if base != nil, !question.isFirst || isBaseExact { return settle(sent: question.sent) }
    let since = received &- (base?.received ?? 0)
    if base == nil, question.sent == 0 {
      // The device had sent nothing before its question, so that all reports came after it.
      isBaseExact = sent != nil
      base = (0, 0, lost)
      return 0
    }
    // A full queue may have dropped reports, unless all that was sent has come.
    let mayHaveLost =
      base != nil || received >= UInt64(Self.kernelQueue) && received != question.sent
    isBaseExact = !mayHaveLost && sent == question.sent
    // A device that has given this client up sends more before the answer. All reports that may
    // have come after the question count as such, so that none of them counts as missed.
    let after = isBaseExact ? 0 : min(since, mostSent(after: question, by: sent))
    base = (question.sent, received &- after, lost)
    return 0
  }

  /// The most reports that a device can have sent after a question.
  private func mostSent(after question: ControlClient.Question, by sent: UInt64?) -> UInt64 {
    guard let sent else { return .max }
    guard sent != question.sent else { return 0 }
    // The device counts reports after it sends them: up to a window of them is not counted yet.
    return min(sent &- question.sent, Self.maximumLoss) + ReportCredits.window
  }

  /// Compares the reports that came with those that were sent, when all there was has been read.
  ///
  /// - Parameter sent: How many reports the device had sent before the reading.
  /// - Returns: How many were missed that were not known to be.
  mutating func settle(sent: UInt64) -> Int {
    let missed = missing(of: sent)
    lost += UInt64(missed)
    return missed
  }

  /// How many reports of the device are missing, besides those already counted as lost.
  private mutating func missing(of sent: UInt64) -> Int {
    guard let base else { return 0 }
    let expected = sent &- base.sent
    let known = (received &- base.received) &+ (lost &- base.lost)
    guard expected > known else { return 0 }
    // The limit holds for all losses: a device can begin to count anew any number of times.
    guard expected - known < Self.maximumLoss - lost else {
      isBaseExact = false
      return 0
    }
    return Int(expected - known)
  }
}
