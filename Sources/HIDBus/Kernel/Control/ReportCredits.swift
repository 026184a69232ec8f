// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The number of reports that a device may send before its hidsim clients must have read some.
///
/// This type has no I/O. The device sends count requests to each client, one at a time: how many
/// reports has the client read? A client that does not answer for a second while the device waits
/// is given up: the device no longer waits for it until it answers. One client must not stop the
/// device and all other clients.
struct ReportCredits: Sendable {
  /// The greatest number of reports on their way to a client that the device waits for: one fewer
  /// than hidraw keeps.
  static let window: UInt64 = 62
  /// The number of reports after which a client is asked again: half a window.
  static let interval: UInt64 = 31
  /// The time that a client may take to answer while the device waits for it.
  static let patience = Duration.seconds(1)
  /// The greatest number of clients that are counted.
  static let clientLimit = 256

  private struct Client: Sendable {
    /// The value of ``ReportCredits/sent`` up to which the client has room.
    var limit: UInt64
    /// The number of reports that had been sent at the latest count request to the client.
    var asked: UInt64
    /// The number of reports that had been sent when the client connected.
    let joined: UInt64
    /// True if the client has answered the first count request, with which counting begins, and no
    /// report was sent in between.
    var isCounting = false
    var hasAnswered = false
    var waitingSince: MonotonicTime?
    var isGivenUp = false
    var lost: UInt64 = 0
  }

  private var clients: [Int: Client] = [:]
  private var lostByGone: UInt64 = 0
  /// The number of reports sent in all.
  private(set) var sent: UInt64 = 0

  /// True if there are no clients.
  var isEmpty: Bool { clients.isEmpty }

  /// The keys of the clients.
  var keys: some Collection<Int> { clients.keys }

  /// The number of lost reports that clients have reported, including clients that are gone.
  var lost: UInt64 { clients.values.reduce(lostByGone) { $0 &+ $1.lost } }

  /// The number of reports that can be sent now: ``window`` at most, also without clients.
  ///
  /// Clients that are given up do not count.
  var room: UInt64 {
    var room = Self.window
    for client in clients.values where !client.isGivenUp {
      room = min(room, client.limit > sent ? client.limit - sent : 0)
    }
    return room
  }

  /// Adds a client.
  ///
  /// No report is sent until the client has answered that it has read the reports before, or is
  /// given up.
  ///
  /// - Returns: The first count request for the client; `nil` if there is no room for one more
  ///   client.
  mutating func add(_ key: Int) -> ControlMessage? {
    guard clients.count < Self.clientLimit else { return nil }
    clients[key] = Client(limit: sent, asked: sent, joined: sent)
    return .begin(sent)
  }

  /// Removes a client that is gone.
  mutating func remove(_ key: Int) {
    guard let client = clients.removeValue(forKey: key) else { return }
    lostByGone &+= client.lost
  }

  /// Counts reports that were sent.
  mutating func noteSent(_ count: Int) { sent &+= UInt64(count) }

  /// Returns the next count request for a client, and records it as sent; `nil` if none is due.
  ///
  /// - Parameter isIdle: True if a request is due even for few reports, since they were sent a
  ///   while ago.
  mutating func question(for key: Int, isIdle: Bool = false) -> ControlMessage? {
    guard let client = clients[key], client.hasAnswered else { return nil }
    guard client.isCounting else {
      // The client was given up before it answered the first count request: counting begins anew.
      clients[key] = Client(
        limit: sent, asked: sent, joined: client.joined, lost: client.lost)
      return .begin(sent)
    }
    guard client.asked != sent,
      isIdle || sent - client.asked >= Self.interval || client.limit <= sent
    else { return nil }
    clients[key]?.asked = sent
    clients[key]?.hasAnswered = false
    return .sent(sent)
  }

  /// True if the device has sent reports since the latest count request to a client, and that
  /// client has answered.
  var hasNews: Bool { clients.values.contains { $0.hasAnswered && $0.asked != sent } }

  /// Applies a client's answer, and returns whether it is valid.
  mutating func take(_ message: ControlMessage, from key: Int) -> Bool {
    guard case .taken(let taken, let room, let lost) = message, let client = clients[key],
      !client.hasAnswered, taken == client.asked, lost >= client.lost, lost <= sent - client.joined
    else { return false }
    clients[key]?.hasAnswered = true
    if !client.isCounting, client.asked != sent {
      // The device sends the count request again, before any further report.
      clients[key]?.limit = sent
      clients[key]?.waitingSince = nil
      clients[key]?.isGivenUp = false
      return true
    }
    clients[key]?.isCounting = true
    clients[key]?.limit = taken + min(UInt64(room), Self.window)
    clients[key]?.lost = lost
    clients[key]?.waitingSince = nil
    clients[key]?.isGivenUp = false
    return true
  }

  /// Notes that the device waits; returns the time at which to call ``giveUp(at:)``, `nil` for no
  /// call.
  mutating func beginWaiting(at now: MonotonicTime) -> MonotonicTime? {
    for (key, client) in clients where !client.isGivenUp && client.limit <= sent {
      if client.waitingSince == nil { clients[key]?.waitingSince = now }
    }
    return firstEnd
  }

  /// Returns the keys of the clients for whose answer the device has waited too long.
  func overdue(at now: MonotonicTime) -> [Int] {
    clients.compactMap { key, client in
      guard !client.isGivenUp, let since = client.waitingSince else { return nil }
      return now.duration(since: since) >= Self.patience ? key : nil
    }
  }

  /// Gives up the clients that have not answered in time; returns the time of the next call, `nil`
  /// for no call.
  mutating func giveUp(at now: MonotonicTime) -> MonotonicTime? {
    for key in overdue(at: now) { clients[key]?.isGivenUp = true }
    return firstEnd
  }

  private var firstEnd: MonotonicTime? {
    clients.values.compactMap { $0.isGivenUp ? nil : $0.waitingSince }.min()?
      .advanced(by: Self.patience)
  }
}
