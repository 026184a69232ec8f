// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The rings of one client's streams, and the reports that wait for a stream or for room.
///
/// This type does no I/O.
struct Subscribers: Sendable {
  /// The result of delivering a datagram.
  enum Delivery: Hashable, Sendable {
    case delivered
    /// A lossless stream is full: the remaining reports wait (``hasPending``).
    case noRoom
    /// The datagram is not valid.
    case nonsense
  }

  private(set) var rings: [(ring: ReportRing, policy: HIDReportStream.Policy)] = []
  /// The reports that came before the first stream; `nil` once a stream has them.
  private var early: EarlyReports?
  /// The reports that found no room yet, each after its length.
  private var pending: [UInt8] = []
  /// The number of reports put into the rings or the early reports, or lost there.
  private var delivered: UInt64 = 0
  /// The number of delivered reports that ``newlyTaken()`` has returned as taken.
  private var told: UInt64 = 0

  /// True until the first stream is added.
  var isBeforeFirst: Bool { early != nil }

  init() { early = EarlyReports() }

  /// Makes the subscribers of a closed connection: the early reports can still be read.
  init(afterClosing old: Subscribers) { early = old.early }

  /// Adds a stream's ring; the first one gets the early reports.
  mutating func add(_ ring: ReportRing, _ policy: HIDReportStream.Policy) {
    handEarly(to: ring)
    rings.append((ring, policy))
  }

  /// Gives a ring the early reports, unless another ring has had them.
  mutating func handEarly(to ring: ReportRing) {
    early?.hand(to: ring)
    early = nil
  }

  // MARK: Delivery

  /// True if reports wait for room.
  var hasPending: Bool { !pending.isEmpty }

  /// The number of bytes that wait for room, including the length of each report.
  var pendingByteCount: Int { pending.count }

  /// Keeps a datagram of reports behind those that wait for room.
  mutating func hold(_ datagram: UnsafeRawBufferPointer) { pending += datagram.dropFirst() }

  /// Delivers the reports that waited for room in the rings, as far as the rings have room now.
  mutating func deliverPending() -> Delivery {
    guard hasPending else { return .delivered }
    let datagram = [LoopbackMessage.inputCode] + pending
    pending = []
    return datagram.withUnsafeBytes { deliver($0) }
  }

  /// Puts the reports of a datagram into the rings until a lossless ring is full, and publishes
  /// them.
  ///
  /// The remaining reports are kept for ``deliverPending()``. A full ring of another policy counts
  /// the report as lost.
  ///
  /// The caller must then wake the readers.
  mutating func deliver(_ datagram: UnsafeRawBufferPointer) -> Delivery {
    let now = MonotonicTime.now
    var offset = 1
    rings.removeAll { $0.ring.isAbandoned }
    defer { for (ring, _) in rings { ring.publish() } }
    while offset < datagram.count {
      guard offset + 2 <= datagram.count else { return .nonsense }
      let count = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      let end = offset + 2 + count
      guard count > 0, count <= ReportRing.longestReport, end <= datagram.count else {
        return .nonsense
      }
      let report = UnsafeRawBufferPointer(rebasing: datagram[offset + 2..<end])
      guard put(report, now) else {
        pending = Array(datagram[offset...])
        return .noRoom
      }
      delivered += 1
      offset = end
    }
    return .delivered
  }

  /// Puts one report into every ring, or into none and returns false if a lossless ring has no room
  /// for it.
  private mutating func put(_ report: UnsafeRawBufferPointer, _ now: MonotonicTime) -> Bool {
    for (ring, policy) in rings where policy == .lossless && !ring.hasRoom && !ring.isAbandoned {
      return false
    }
    early?.put(report, at: now)
    for (ring, _) in rings where !ring.put(report, at: now) { ring.countLost(1) }
    return true
  }

  /// Counts reports that the device did not send, which come after those that wait for room.
  ///
  /// Losses before the first stream are counted in that stream.
  mutating func countLost(_ count: Int) {
    early?.countLost(count)
    let waiting = pendingCount
    for (ring, _) in rings { ring.countLost(count, behind: waiting) }
  }

  /// Notes that reports may be lost without being counted.
  mutating func noteUncountableLosses() {
    early?.noteUncountableLosses()
    for (ring, _) in rings { ring.noteUncountableLosses() }
  }

  /// The number of reports received, including those that wait for room.
  var received: UInt64 { delivered + UInt64(pendingCount) }

  /// The number of reports that wait for room in the rings.
  private var pendingCount: Int {
    var count = 0
    var offset = 0
    while offset + 2 <= pending.count {
      offset += 2 + Int(pending[offset]) + Int(pending[offset + 1]) << 8
      count += 1
    }
    return count
  }

  // MARK: Reports taken

  /// Returns the number of reports that every stream has taken or lost since the previous call;
  /// `nil` for none.
  ///
  /// Streams without a reader do not count.
  mutating func newlyTaken() -> UInt32? {
    let waiting = rings.reduce(early?.count ?? 0) { count, entry in
      entry.ring.isAbandoned ? count : max(count, entry.ring.unread)
    }
    // The waiting reports were delivered before: the difference is never negative.
    let taken = delivered - UInt64(waiting)
    guard taken > told else { return nil }
    defer { told = taken }
    return UInt32(clamping: taken - told)
  }
}
