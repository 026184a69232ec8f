// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDText
import HIDTraces
import IOLoop
import Synchronization
package import SystemPackage

/// A source of a recording: the events of devices that another hidsim process has plugged.
///
/// The process belongs to the same user. It sends the events of its devices in their order, and
/// counts those that it drops.
package final class RunTap: Sendable {
  /// The time for which all devices may be unplugged before they count as gone.
  ///
  /// A device that detaches itself can be plugged again within this time. The recording also ends
  /// at most this time after ``stop()``.
  private static let patience = Duration.seconds(1)

  private struct State: Sendable {
    var framer: StreamFramer
    /// The events that arrived while a result was awaited.
    var early: [JSONNode] = []
    /// The positions in the trace, by the names that the run gives to the recorded interfaces and
    /// their devices.
    var places: [String: Int] = [:]
    var plugged: Set<String> = []
    var absences = 0
    var lastToken = 0
    var stopToken: Int?
    var failure: HIDBusError?
  }

  private let socket: StreamSocket
  /// The time from which event times count, in microseconds of the monotonic clock.
  private let base: Int
  private let state: Mutex<State>

  /// Finds the runs that have plugged some devices, and subscribes to their events.
  ///
  /// The call blocks, so it needs a thread of its own.
  ///
  /// - Parameter places: The positions of the devices in the trace.
  /// - Returns: The runs, and those of the devices in `places` that they have plugged. A run that
  ///   does not answer within a second is left out.
  /// - Throws: The `Errno` if a run could not be asked for lack of descriptors or memory.
  package static func find(
    _ places: [HIDDeviceID: Int], in directory: BusDirectory
  ) throws(Errno) -> (taps: [RunTap], found: Set<HIDDeviceID>) {
    var taps: [RunTap] = []
    var found: Set<HIDDeviceID> = []
    // The search ends when all devices are found.
    _ = try RunEntry.first(in: directory, patience: 1000) { socket -> RunTap? in
      guard let (tap, ids) = listen(at: socket, places) else { return nil }
      taps.append(tap)
      found.formUnion(ids)
      return found.count == places.count ? tap : nil
    }
    return (taps, found)
  }

  /// The error that ended the recording; `nil` if there is none.
  var failure: (any Error)? { state.withLock { $0.failure } }

  private init(_ socket: StreamSocket, base: Int, _ state: State) {
    self.socket = socket
    self.base = base
    self.state = Mutex(state)
  }

  deinit { socket.shutDown() }

  private static func listen(
    at socket: StreamSocket, _ places: [HIDDeviceID: Int]
  ) -> (RunTap, Set<HIDDeviceID>)? {
    var state = State(framer: StreamFramer(file: "the other hidsim"))
    guard let hello = next(&state, socket), case .integer(let base)? = hello["base"]?.value,
      let before = ask("list", &state, socket)
    else { return nil }
    var found: Set<HIDDeviceID> = []
    for (label, id) in interfaces(in: before) {
      guard let place = places.first(where: { $0.key.description == id }) else { continue }
      found.insert(place.key)
      state.places[label] = place.value
    }
    // Events of a whole device, such as packets, are recorded with its first interface.
    for (label, first) in devices(in: before) {
      if let place = state.places[first] { state.places[label] = place }
    }
    guard !found.isEmpty,
      ask("events", &state, socket, { $0.add("input", .bool(true)) })?["error"] == nil,
      let after = ask("list", &state, socket)
    else { return nil }
    // No event reports a device that was unplugged before the events began.
    state.plugged = Set(interfaces(in: after).map(\.label)).intersection(state.places.keys)
    socket.setPatience(0)
    return (RunTap(socket, base: base, state), found)
  }

  private static func interfaces(in answer: JSONNode) -> [(label: String, id: String)] {
    guard case .array(let devices)? = answer["devices"]?.value else { return [] }
    return devices.flatMap { device -> [(String, String)] in
      guard case .array(let interfaces)? = device["interfaces"]?.value else { return [] }
      return interfaces.compactMap { interface in
        guard case .string(let label)? = interface["device"]?.value,
          case .string(let id)? = interface["id"]?.value
        else { return nil }
        return (label, id)
      }
    }
  }

  /// Returns the names of devices, and of the first interface of each.
  private static func devices(in answer: JSONNode) -> [(label: String, first: String)] {
    guard case .array(let devices)? = answer["devices"]?.value else { return [] }
    return devices.compactMap { device in
      guard case .string(let label)? = device["device"]?.value,
        case .array(let interfaces)? = device["interfaces"]?.value,
        case .string(let first)? = interfaces.first?["device"]?.value
      else { return nil }
      return (label, first)
    }
  }

  private static func ask(
    _ command: String, _ state: inout State, _ socket: StreamSocket,
    _ fill: (inout JSONLine) -> Void = { _ in }
  ) -> JSONNode? {
    guard let token = send(command, &state, socket, fill) else { return nil }
    while let node = next(&state, socket) {
      if node["token"]?.value == .integer(token) { return node }
      state.early.append(node)
    }
    return nil
  }

  private static func send(
    _ command: String, _ state: inout State, _ socket: StreamSocket,
    _ fill: (inout JSONLine) -> Void = { _ in }
  ) -> Int? {
    state.lastToken += 1
    var line = JSONLine()
    line.add("command", .string(command))
    line.add("token", .integer(state.lastToken))
    fill(&line)
    return socket.write(line.utf8 + [0x0A]) ? state.lastToken : nil
  }

  private static func next(_ state: inout State, _ socket: StreamSocket) -> JSONNode? {
    while true {
      if let frame = state.framer.next() {
        guard case .value(let node) = frame else { return nil }
        return node
      }
      guard let bytes = socket.read(atMost: 64 * 1024) else { return nil }
      state.framer.append(bytes)
    }
  }

  // MARK: Listening

  /// Records the events until the devices or their run are gone, reading fails, or ``stop()`` is
  /// called.
  func follow(into recording: TraceRecording, from source: Int) async {
    var isOver = take(
      state.withLock { state in
        defer { state.early = [] }
        return state.early
      }, into: recording, from: source)
    noteAbsence()
    let reader = reader()
    while !isOver, let bytes = await reader?.next(isCancellable: false) ?? nil {
      let nodes = state.withLock { state in
        state.framer.append(bytes)
        var nodes: [JSONNode] = []
        while case .value(let node)? = state.framer.next() { nodes.append(node) }
        return nodes
      }
      isOver = take(nodes, into: recording, from: source)
      await recording.room()
    }
    // The devices of a run that ends are unplugged, and no event reports it.
    let (gone, places) = state.withLock { state in
      (state.stopToken == nil && state.failure == nil ? state.plugged : [], state.places)
    }
    recording.add { recorder in
      for place in gone.compactMap({ places[$0] }).sorted() {
        recorder.add(.unplugged, device: place, at: .now, from: source)
      }
      recorder.end(source)
    }
  }

  /// Makes the reader of the socket; `nil` if no thread could be started.
  private func reader() -> BlockingReader<[UInt8]>? {
    do throws(Errno) {
      return try BlockingReader(name: "hidsim-record") { [socket] in
        socket.read(atMost: 64 * 1024)
      }
    } catch {
      let failure = HIDBusError.lacking(error, "record the devices of another hidsim")
      state.withLock { $0.failure = failure }
      return nil
    }
  }

  /// Ends the recording after the events that have occurred by now.
  ///
  /// The recording ends after one second at the latest.
  func stop() {
    let isAsked = state.withLock { state in
      if state.stopToken == nil { state.stopToken = Self.send("sync", &state, socket) }
      return state.stopToken != nil
    }
    guard isAsked else { return socket.shutDown() }
    Timeline.real.schedule(at: .now.advanced(by: Self.patience)) { [socket] in socket.shutDown() }
  }

  /// Records the events in some lines.
  ///
  /// - Returns: True if the lines end the recording.
  private func take(
    _ nodes: [JSONNode], into recording: TraceRecording, from source: Int
  ) -> Bool {
    var isOver = false
    var hasGone = false
    var missing = 0
    recording.add { recorder in
      for node in nodes {
        if let token = node["token"]?.value {
          isOver = isOver || state.withLock { $0.stopToken.map { token == .integer($0) } ?? false }
          continue
        }
        if node["event"]?.value == .string("missed") {
          guard case .integer(let count)? = node["count"]?.value else { continue }
          missing = Int(clamping: Int64(missing).added(Int64(max(count, 0))))
          continue
        }
        guard case .integer(let time)? = node["time"]?.value else { continue }
        let (microseconds, isTooMuch) = base.addingReportingOverflow(time)
        guard !isTooMuch, microseconds >= 0, microseconds <= Int.max / 1000 else { continue }
        let moment = MonotonicTime(nanoseconds: UInt64(microseconds) * 1000)
        guard case .string(let label)? = node["device"]?.value,
          let place = state.withLock({ $0.places[label] }), let kind = HIDTraceEvent.Kind(node)
        else { continue }
        let isKnown = state.withLock { state in
          if kind == .unplugged { state.plugged.remove(label) }
          return kind == .plugged ? !state.plugged.insert(label).inserted : false
        }
        if isKnown { continue }
        if kind == .unplugged { hasGone = true }
        recorder.add(kind, device: place, at: moment, from: source)
      }
    }
    recording.noteMissing(missing)
    if hasGone { noteAbsence() }
    return isOver
  }

  /// Ends the recording after a second, if no device is plugged now and none is plugged by then.
  private func noteAbsence() {
    let absence = state.withLock { state -> Int? in
      guard state.plugged.isEmpty else { return nil }
      state.absences += 1
      return state.absences
    }
    guard let absence else { return }
    Timeline.real.schedule(at: .now.advanced(by: Self.patience)) { [weak self] in
      guard let self else { return }
      let isGone = state.withLock { $0.plugged.isEmpty && $0.absences == absence }
      if isGone { socket.shutDown() }
    }
  }
}
