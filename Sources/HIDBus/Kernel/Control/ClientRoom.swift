// SPDX-License-Identifier: Apache-2.0

import IOLoop
import SystemPackage

/// The room that hidsim's clients have for further reports of a device; the device waits for it.
///
/// The device uses it on its loop only.
final class ClientRoom {
  /// The server of the control socket, over which clients report how many reports they have read.
  ///
  /// `nil` if the device is not published in the bus directory, and after ``end()``.
  private var control: ControlServer?
  /// True if a client of hidsim is connected to the control socket, so that the device waits for
  /// the client's answers.
  ///
  /// It is stored because it is read for each report.
  private(set) var isCounted = false
  /// The approximate number of reports sent since the control socket was last checked for new
  /// clients.
  private var sentSinceAccept = 0
  /// True once a client was connected.
  ///
  /// A client can read the counts in shared memory even after it was disconnected.
  private var hasHadClient = false
  /// The number of reports sent that the server has not counted yet; always 0 once
  /// ``hasHadClient``.
  private var uncounted = 0
  private var waiters = WaiterList<Void>()

  /// Starts to accept clients.
  ///
  /// If this fails, for example without memory or watches of epoll, the device works, but waits for
  /// no client.
  ///
  /// - Parameters:
  ///   - entry: The device's files.
  ///   - loop: The loop of the device.
  ///   - enter: A closure that calls its argument with this object, on the loop, if the device
  ///     still exists. It is kept until ``end()``.
  func start(
    _ entry: DeviceEntry.Owned, loop: IOLoop,
    enter: @escaping @Sendable (@Sendable (ClientRoom) -> Void) -> Void
  ) {
    let server = ControlServer(entry, loop: loop) {
      enter { $0.resumeWaiters() }
    } enter: { body in
      enter { room in
        guard let server = room.control else { return }
        room.settle(server)
        body(server)
        room.noteClients(of: server)
      }
    }
    do throws(Errno) {
      try server.start()
      control = server
    } catch {
      // The device waits for no client.
    }
  }

  /// Accepts waiting clients before the device sends more reports than hidraw keeps for each of
  /// them.
  ///
  /// On a busy machine the loop may not have accepted them yet. The device does not wait for a
  /// client that it has not accepted, so the client could lose reports.
  @inline(__always)
  func acceptClients(before count: Int) {
    sentSinceAccept += count
    if sentSinceAccept > Int(ReportCredits.interval) { acceptClients() }
  }

  private func acceptClients() {
    guard let control else { return }
    sentSinceAccept = 0
    settle(control)
    control.accept()
    noteClients(of: control)
  }

  private func noteClients(of server: ControlServer) {
    isCounted = !server.credits.isEmpty
    hasHadClient = hasHadClient || isCounted
  }

  /// The number of reports for which clients have room; `Int.max` if the device waits for none.
  var count: Int { isCounted ? control.map { Int($0.credits.room) } ?? .max : .max }

  /// Counts reports that were sent.
  @inline(__always)
  func noteSent(_ count: Int) {
    uncounted += count
    // Before the first client, the server counts them later, since a call for each report costs
    // time.
    if hasHadClient { noteSent() }
  }

  private func noteSent() {
    if let control { settle(control) }
    // A USB device waits for clients also before the host has taken the reports that fill their
    // room. The timeout for the clients begins when it has.
    if !waiters.isEmpty { control?.beginWaiting() }
  }

  /// Lets the server count the reports that it has not counted yet.
  private func settle(_ server: ControlServer) {
    let count = uncounted
    uncounted = 0
    if count > 0 { server.noteSent(count) }
  }

  /// The number of reports that clients have lost, as far as they have reported it; 0 after
  /// ``end()``.
  var lostReports: Int { Int(clamping: control?.credits.lost ?? 0) }

  /// Returns a promise for a caller that has found no room; it is fulfilled when there may be room,
  /// and by ``resumeWaiters()``.
  func nextChange() -> Promise<Void> {
    control?.beginWaiting()
    return waiters.append()
  }

  /// Resumes the tasks that wait for room; they check again whether there is any.
  func resumeWaiters() { waiters.takeAll().fulfill() }

  /// Disconnects the clients, and resumes the tasks that wait.
  func end() {
    control = nil
    isCounted = false
    resumeWaiters()
  }
}
