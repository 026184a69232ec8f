// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// How many reports a device may send before the clients of hidsim that read it must have taken some.
///
/// State only, no I/O. Each client is asked one thing at a time: how far it is. One that says nothing
/// for a second while the device waits is not waited for any more, until it says something: it must
/// not stop the device and everybody else.
struct ReportCredits: Sendable {
  /// How many reports are on their way to a client at most: one fewer than hidraw keeps.
  static let window: UInt64 = 62
  /// After how many reports a client is asked how far it is: twice a window.
  static let interval: UInt64 = 31
  /// How long a client may say nothing while the device waits for it.
  static let patience = Duration.seconds(1)
  /// How many clients are waited for at most.
  static let clientLimit = 256

  private struct Client: Sendable {
    /// How many reports in all it can take.
    var limit: UInt64
    /// How many had been sent when it was asked last.
    var asked: UInt64
    /// How many had been sent when it connected.
    let joined: UInt64
    /// Whether it has answered the question with which counting begins, in time: nothing was sent meanwhile.
    var isCounting = false
    var hasAnswered = false
    var waitingSince: MonotonicTime?
    var isGivenUp = false
    var lost: UInt64 = 0
  }

  private var clients: [Int: Client] = [:]
  private var lostByGone: UInt64 = 0
  /// How many reports were sent in all.
  private(set) var sent: UInt64 = 0

  /// Whether nobody counts.
  var isEmpty: Bool { clients.isEmpty }

  /// The names of the clients.
  var keys: some Collection<Int> { clients.keys }

  /// How many reports clients have missed.
  var lost: UInt64 { clients.values.reduce(lostByGone) { $0 &+ $1.lost } }

  /// How many reports can be sent now.
  var room: UInt64 {
    var room = Self.window
    for client in clients.values where !client.isGivenUp {
      room = min(room, client.limit > sent ? client.limit - sent : 0)
    }
    return room
  }

  /// Adds a client; nothing is sent until it has said that it has read what was there.
  ///
  /// - Returns: What to ask it; `nil` if there is no room for one more.
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

  /// What to ask a client now, if it is time to.
  ///
  /// - Parameter isIdle: Whether nothing more may come for a while.
  mutating func question(for key: Int, isIdle: Bool = false) -> ControlMessage? {
    guard let client = clients[key], client.hasAnswered else { return nil }
    guard client.isCounting else {
      // The client was given up before it answered the first question: counting begins anew.
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

  /// Whether a client can be asked about reports that it was not asked about.
  var hasNews: Bool { clients.values.contains { $0.hasAnswered && $0.asked != sent } }

  /// Takes in what a client says, and tells whether it makes sense.
  mutating func take(_ message: ControlMessage, from key: Int) -> Bool {
    guard case .taken(let taken, let room, let lost) = message, let client = clients[key],
      !client.hasAnswered, taken == client.asked, lost >= client.lost, lost <= sent - client.joined
    else { return false }
    clients[key]?.hasAnswered = true
    if !client.isCounting, client.asked != sent {
      // Asked anew, before anything more is sent.
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

  /// Notes that the device waits, and says when to look at the clients again: ``giveUp(at:)``.
  mutating func beginWaiting(at now: MonotonicTime) -> MonotonicTime? {
    for (key, client) in clients where !client.isGivenUp && client.limit <= sent {
      if client.waitingSince == nil { clients[key]?.waitingSince = now }
    }
    return firstEnd
  }

  /// The clients for whose answer the device has waited too long.
  func overdue(at now: MonotonicTime) -> [Int] {
    clients.compactMap { key, client in
      guard !client.isGivenUp, let since = client.waitingSince else { return nil }
      return now.duration(since: since) >= Self.patience ? key : nil
    }
  }

  /// Gives up on clients that have said nothing for too long, and says when to look again.
  mutating func giveUp(at now: MonotonicTime) -> MonotonicTime? {
    for key in overdue(at: now) { clients[key]?.isGivenUp = true }
    return firstEnd
  }

  private var firstEnd: MonotonicTime? {
    clients.values.compactMap { $0.isGivenUp ? nil : $0.waitingSince }.min()?
      .advanced(by: Self.patience)
  }
}
