// SPDX-License-Identifier: Apache-2.0

package import HIDBusDirectory
package import HIDSystem
import HIDTraces
package import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// Records devices that are plugged, real or simulated, into one trace with one order.
///
/// Of a device that another hidsim of this user has plugged, that one is asked, and tells what its hosts do as well; every
/// other is opened, and its input reports are read. So each device has one source, and nothing comes twice.
package final class DeviceRecorder: Sendable {
  /// How many reports are kept for us where we are slow.
  private static let capacity = 4096

  /// The trace, for who writes it.
  package let recording: TraceRecording
  private let ports: [PortTap]
  private let runs: [RunTap]
  /// What only keeps devices open.
  private let openers: [any HIDHostPort]

  private init(
    _ recording: TraceRecording, ports: [PortTap], runs: [RunTap], openers: [any HIDHostPort]
  ) {
    self.recording = recording
    self.ports = ports
    self.runs = runs
    self.openers = openers
  }

  /// Opens devices: what they send from then on is recorded.
  ///
  /// - Parameters:
  ///   - devices: The devices, in the order of the trace.
  ///   - directory: Where other hidsims of this user are found, if there is a folder for it.
  ///   - opensAll: Whether those are opened, too, whose hidsim is asked: for who waits until somebody has them open.
  /// - Throws: `permissionDenied`, `gone`; `limitReached` for more devices than a trace holds.
  package static func open(
    _ devices: [HIDDeviceRecord], on hosts: HIDHosts, directory: BusDirectory?,
    isRedacted: Bool = false, opensAll: Bool = false
  ) async throws(HIDWireError) -> DeviceRecorder {
    guard devices.count <= HIDTraceReader.maximumDeviceCount else {
      throw HIDWireError(
        .limitReached,
        "a trace holds at most \(HIDTraceReader.maximumDeviceCount) devices, and \(devices.count) "
          + "were given")
    }
    let ours = devices.enumerated().filter { $0.element.isOurs }
    let places = Dictionary(
      ours.map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    var runs: (taps: [RunTap], found: Set<HIDDeviceID>) = ([], [])
    if let directory, !places.isEmpty {
      let action = "looking for devices of other hidsim processes"
      let found = try await Blocking.run(to: action) {
        Result { () throws(Errno) in try RunTap.find(places, in: directory) }
      }
      do throws(Errno) { runs = try found.get() } catch { throw .lacking(error, action) }
    }
    var ports: [PortTap] = []
    var openers: [any HIDHostPort] = []
    for (place, device) in devices.enumerated() {
      let isTold = runs.found.contains(device.id) && places[device.id] == place
      if isTold {
        if opensAll { openers.append(try await hosts.open(device)) }
        continue
      }
      let (port, stream) = try await hosts.open(
        device, capacity: capacity, policy: .lossless)
      ports.append(PortTap(port, stream, place: place))
    }
    let recorder = HIDTraceRecorder(
      devices: devices.enumerated().map { HIDTraceDevice($0.element, number: $0.offset) },
      sources: ports.count + runs.taps.count, isRedacted: isRedacted)
    return DeviceRecorder(
      TraceRecording(recorder), ports: ports, runs: runs.taps, openers: openers)
  }

  /// The buses whose losses are not known completely.
  package var unknownLosses: Set<HIDBusKind> {
    Set(ports.filter { !$0.isLossComplete }.map(\.bus))
  }

  /// The error that ended the recording of a device; `nil` if none did.
  package var failure: (any Error)? {
    ports.lazy.compactMap(\.failure).first ?? runs.lazy.compactMap(\.failure).first
  }

  /// Records until all devices are gone, or the task is cancelled; what has come by then is recorded.
  package func run() async {
    // Not as child tasks: what is cancelled would leave out what has come.
    let tasks =
      ports.enumerated().map { [recording] index, tap in
        Task { await tap.follow(into: recording, from: index) }
      }
      + runs.enumerated().map { [recording, ports] index, tap in
        Task { await tap.follow(into: recording, from: ports.count + index) }
      }
    await withTaskCancellationHandler {
      for task in tasks { await task.value }
    } onCancel: {
      recording.hurry()
      for tap in ports { tap.stop() }
      for tap in runs { tap.stop() }
    }
    for port in openers { port.close() }
  }
}
