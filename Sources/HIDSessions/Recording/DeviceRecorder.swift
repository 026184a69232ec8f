// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDTraces
import IOLoop
import Synchronization
import SystemPackage

/// A recorder of plugged devices, real or simulated, that makes one trace with one order of events.
///
/// If another hidsim process of this user has plugged a device and answers, it supplies the events
/// of the device, which include those of its hosts. Every other device is opened, and its input
/// reports are read. So each device has one source, and no event is recorded twice.
package final class DeviceRecorder: Sendable {
  /// The number of reports of each device that are kept while this process is slow.
  private static let capacity = 4096

  /// The trace, for the task that writes it.
  package let recording: TraceRecording
  private let ports: [PortTap]
  private let runs: [RunTap]
  /// The ports that only keep devices open.
  private let openers: [any HIDClientPort]

  private init(
    _ recording: TraceRecording, ports: [PortTap], runs: [RunTap], openers: [any HIDClientPort]
  ) {
    self.recording = recording
    self.ports = ports
    self.runs = runs
    self.openers = openers
  }

  /// Opens devices, or subscribes to their events at other hidsim processes.
  ///
  /// The events are kept for the trace from then on.
  ///
  /// - Parameters:
  ///   - devices: The devices, in the order of the trace.
  ///   - directory: The directory that lists the other hidsim processes of this user, if there is
  ///     one.
  ///   - isRedacted: True to remove typed text from the trace.
  ///   - opensAll: True to open also the devices whose events another hidsim process supplies. A
  ///     program that waits until a client opens the device needs this.
  /// - Throws: The errors of `HIDDeviceCatalog.open(_:)`; `limitReached` for more devices than a
  ///   trace holds, or if the process lacks descriptors, memory or threads.
  package static func open(
    _ devices: [HIDDeviceRecord], on catalog: HIDDeviceCatalog, directory: BusDirectory?,
    isRedacted: Bool = false, opensAll: Bool = false
  ) async throws(HIDBusError) -> DeviceRecorder {
    guard devices.count <= HIDTraceReader.maximumDeviceCount else {
      throw HIDBusError(
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
      let found = try await Thread.call(to: action) {
        Result { () throws(Errno) in try RunTap.find(places, in: directory) }
      }
      do throws(Errno) { runs = try found.get() } catch { throw .lacking(error, action) }
    }
    var ports: [PortTap] = []
    var openers: [any HIDClientPort] = []
    for (place, device) in devices.enumerated() {
      let isTold = runs.found.contains(device.id) && places[device.id] == place
      if isTold {
        if opensAll { openers.append(try await catalog.open(device)) }
        continue
      }
      let (port, stream) = try await catalog.open(
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

  /// Records until all devices are gone or have failed, or the task is cancelled.
  ///
  /// Events that have arrived by then are recorded. The caller ends the recording.
  package func run() async {
    // These are not child tasks: a cancelled child task would leave out events that have arrived.
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
      recording.stopWaiting()
      for tap in ports { tap.stop() }
      for tap in runs { tap.stop() }
    }
    for port in openers { port.close() }
  }
}
