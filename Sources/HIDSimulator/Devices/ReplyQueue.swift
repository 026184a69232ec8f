// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDBus
import HIDReportDescriptor

/// The replies of an interface that wait to be sent, in order.
///
/// Replies are reports that the device sends because of plugging, host events, timers and repeats
/// of switches.
struct ReplyQueue: Sendable {
  /// A reply, the port that sends it, and its purpose.
  struct Reply: Sendable {
    /// The content of a reply.
    enum Content: Sendable {
      case report([UInt8])
      /// The input report with this ID, with the values that it has when it is sent.
      case present(HIDReportID?)
      /// The input report that sets some controls, unless the press of a switch is over by then.
      ///
      /// It is made from the current report when it is sent.
      case setting([(HIDReportElement, Int64)], of: HIDInterfaceModel.PressNumber, isLast: Bool)
    }

    let content: Content
    let purpose: SimulatedInterface.Purpose
    let port: any HIDDevicePort
  }

  /// Replies with the same port and purpose, which are sent together.
  struct Batch: Sendable {
    let contents: [Reply.Content]
    let purpose: SimulatedInterface.Purpose
    let port: any HIDDevicePort
  }

  /// The maximum number of waiting replies.
  static let capacity = 4096

  private var due: Deque<Reply> = []
  /// The number of replies that wait for their time, or are due.
  private var count = 0
  /// True while a task sends the replies that are due.
  private var isSending = false

  /// Reserves room for a reply that waits for its time; returns false if there is none.
  mutating func reserve() -> Bool {
    guard count < Self.capacity else { return false }
    count += 1
    return true
  }

  /// Appends a reply that is due, for which room is reserved.
  ///
  /// - Returns: True if the caller must start a task that sends what ``next()`` returns.
  mutating func append(_ reply: Reply) -> Bool {
    due.append(reply)
    defer { isSending = true }
    return !isSending
  }

  /// Removes and returns the replies that are sent next; nil ends the task that sends them.
  ///
  /// Up to ``ReportPacing/burst`` replies are sent together, so that the queue does not grow.
  mutating func next() -> Batch? {
    guard let first = due.first else {
      isSending = false
      return nil
    }
    let next = due.prefix(ReportPacing.burst).prefix {
      $0.port === first.port && $0.purpose == first.purpose
    }
    let batch = Batch(contents: next.map(\.content), purpose: first.purpose, port: first.port)
    due.removeFirst(batch.contents.count)
    count -= batch.contents.count
    return batch
  }

  /// Drops all replies.
  mutating func removeAll() {
    due = []
    count = 0
  }
}
