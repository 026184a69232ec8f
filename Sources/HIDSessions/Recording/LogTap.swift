// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDBus
import HIDTraces
import IOLoop
import Synchronization

/// A recorder of the devices of a run in this process, which reads the log of the run.
package final class LogTap: Sendable {
  /// The trace, for the task that writes it.
  package let recording: TraceRecording
  private let hub: DeviceHub
  /// The index in the log from which devices are unplugged because the run ends.
  private let endIndex = Atomic(Int.max)

  /// The data that is kept for a device under its name in the log.
  private struct Known {
    let place: Int
    let descriptor: [UInt8]
    var isPlugged = true
  }

  /// Begins a recording.
  ///
  /// Input reports are events of the log from then on.
  package init(_ hub: DeviceHub, isRedacted: Bool = false) {
    self.hub = hub
    hub.log.keepInput()
    recording = TraceRecording(HIDTraceRecorder(devices: [], sources: 1, isRedacted: isRedacted))
  }

  /// Marks the end of the run: devices that are unplugged from now on stay plugged in the trace.
  package func willEnd() { endIndex.store(hub.log.endIndex, ordering: .relaxed) }

  /// Records from the first event that the log keeps to the end of the log, or until the task is
  /// cancelled; then ends the recording.
  package func run() async {
    let log = hub.log
    var index = 0
    var known: [String: Known] = [:]
    // Virtual time can produce events faster than they are written, so it waits for this work.
    log.timeline.beginWork()
    defer { log.timeline.endWork() }
    // The devices that exist now get the first positions in the trace, in their order.
    for device in hub.devices {
      for interface in device.interfaces { _ = place(interface.label, nil, &known) }
    }
    while await log.workWaits(for: index) {
      let (events, missed) = log.read(from: &index)
      recording.noteMissing(missed)
      for (number, event) in zip(index - events.count..<index, events) {
        var plugged: HIDDeviceRecord?
        if case .plugged(let record, _, _) = event.kind { plugged = record }
        let kind = HIDTraceEvent.Kind(event.kind)
        guard kind != nil || plugged != nil else { continue }
        if kind == .unplugged, number >= endIndex.load(ordering: .relaxed) { continue }
        let wasAway = known[event.device]?.isPlugged == false
        guard let place = place(interface(of: event.device), plugged, &known) else { continue }
        if kind == .unplugged { known[event.device]?.isPlugged = false }
        if plugged != nil { known[event.device]?.isPlugged = true }
        guard let kind = kind ?? (wasAway ? .plugged : nil) else { continue }
        recording.add { $0.add(kind, device: place, at: event.time, from: 0) }
      }
      await recording.room()
    }
    recording.finish()
  }

  /// Returns the label of the interface under which events are recorded.
  ///
  /// The events of a whole device, such as packets, are recorded under its first interface.
  ///
  /// - Parameter label: The label of the events in the log.
  private func interface(of label: String) -> String {
    hub.devices.first { $0.label == label }?.interfaces.first?.label ?? label
  }

  /// Returns the position of a device in the trace, and adds the device if it is new.
  ///
  /// A device with a known name but another descriptor is a new device. The result is `nil` if the
  /// trace can hold no more devices, or if neither the run nor a record describes a new device.
  private func place(
    _ label: String, _ record: HIDDeviceRecord?, _ known: inout [String: Known]
  ) -> Int? {
    if let found = known[label], record.map({ $0.descriptorBytes == found.descriptor }) ?? true {
      if found.isPlugged || record != nil { return found.place }
    }
    // The device is described as it is now, or as the bus has recorded it if it is gone from the
    // run.
    var device: HIDTraceDevice?
    for simulated in hub.devices {
      for interface in simulated.interfaces where interface.label == label {
        device = HIDTraceDevice(
          interface, of: simulated.definition, number: recording.devices.count)
      }
    }
    guard let device = device ?? record.map({ HIDTraceDevice($0, number: recording.devices.count) })
    else { return known[label]?.place }
    if let found = known[label], found.descriptor == device.descriptor { return found.place }
    guard let place = recording.add(device) else { return nil }
    known[label] = Known(place: place, descriptor: device.descriptor)
    return place
  }
}
