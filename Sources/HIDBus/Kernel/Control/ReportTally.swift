// SPDX-License-Identifier: Apache-2.0

/// The numbers of a device's reports that a client has received and lost.
///
/// The device sends count requests over its control socket: it gives the number of reports that it
/// has sent, and asks how many the client has read.
struct ReportTally: Sendable {
  /// The number of reports that the kernel queues before it drops one (`HIDRAW_BUFFER_SIZE` less
  /// one, Linux 6.12).
  private static let kernelQueue = 63
  /// The limit of all reports counted as lost: a count of the device that would reach it is
  /// ignored, and makes the tally inexact.
  private static let maximumLoss: UInt64 = 1 << 48

  /// The numbers of reports sent, received and lost when counting began; `nil` before that.
  private var base: (sent: UInt64, received: UInt64, lost: UInt64)?
  /// True if counting has begun, ``base`` is exact, and no count of the device was impossible.
  ///
  /// The base is exact if the device provides counts, and had sent no report before the first count
  /// request. It is also exact if no report was sent while it was taken, and none can have been
  /// dropped before. If the property is false, ``lost`` is a lower bound.
  private(set) var isBaseExact = false
  private var received: UInt64 = 0
  /// The number of reports found to be lost.
  private(set) var lost: UInt64 = 0

  /// Counts received reports.
  mutating func note(_ count: Int) { received &+= UInt64(count) }

  /// Compares the received reports with a count request, after all available reports were read.
  ///
  /// Reports that arrived after the device counted hide an equal number of lost ones until it
  /// counts again.
  ///
  /// - Parameters:
  ///   - question: The count request of the device.
  ///   - sent: The number of reports that the device has sent by now; `nil` if the device provides
  ///     no counts.
  /// - Returns: The number of newly found losses; 0 if counting begins, or begins anew.
  mutating func settle(_ question: ControlClient.Question, sent: UInt64? = nil) -> Int {
    if base != nil, !question.isFirst || isBaseExact { return settle(sent: question.sent) }
    let since = received &- (base?.received ?? 0)
    if base == nil, question.sent == 0 {
      // The device had sent no report before the count request, so all reports came after the
      // request.
      isBaseExact = sent != nil
      base = (0, 0, lost)
      return 0
    }
    // A full queue may have dropped reports, unless all reports that were sent were received.
    let mayHaveLost =
      base != nil || received >= UInt64(Self.kernelQueue) && received != question.sent
    isBaseExact = !mayHaveLost && sent == question.sent
    // A device that has given this client up sends more before the answer. All reports that may
    // have come after the request count as later ones, so none of them counts as lost.
    let after = isBaseExact ? 0 : min(since, mostSent(after: question, by: sent))
    base = (question.sent, received &- after, lost)
    return 0
  }

  /// Returns the greatest number of reports that a device can have sent after a count request.
  private func mostSent(after question: ControlClient.Question, by sent: UInt64?) -> UInt64 {
    guard let sent else { return .max }
    guard sent != question.sent else { return 0 }
    // The device counts reports after it sends them: up to a window of reports is not counted yet.
    return min(sent &- question.sent, Self.maximumLoss) + ReportCredits.window
  }

  /// Compares the received reports with those that were sent, after all available reports were
  /// read.
  ///
  /// - Parameter sent: The number of reports that the device had sent before the reading.
  /// - Returns: The number of newly found losses; 0 before counting begins, and if the count of the
  ///   device is ignored.
  mutating func settle(sent: UInt64) -> Int {
    let missed = missing(of: sent)
    lost += UInt64(missed)
    return missed
  }

  /// Returns the number of a device's reports that are missing, besides those already counted as
  /// lost.
  private mutating func missing(of sent: UInt64) -> Int {
    guard let base else { return 0 }
    let expected = sent &- base.sent
    let known = (received &- base.received) &+ (lost &- base.lost)
    guard expected > known else { return 0 }
    // The limit holds for all losses: a device can begin to count again any number of times.
    guard expected - known < Self.maximumLoss - lost else {
      isBaseExact = false
      return 0
    }
    return Int(expected - known)
  }
}
