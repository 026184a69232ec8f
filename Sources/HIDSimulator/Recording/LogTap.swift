// SPDX-License-Identifier: Apache-2.0

import HIDTraces
import HIDWire
import IOLoop
import Synchronization

/// Records the devices of a run of this process, as its log tells of them.
package final class LogTap: Sendable {
  /// The trace, for who writes it.
  package let recording: TraceRecording
  private let hub: DeviceHub
  /// The place in the log from which on devices are unplugged because the run ends.
  private let endIndex = Atomic(Int.max)

  /// What is known of a device by its name in the log.
  private struct Known {
    let place: Int
    let descriptor: [UInt8]
    var isPlugged = true
  }

  /// Begins a recording; input reports are events of the log from then on.
  package init(_ hub: DeviceHub, isRedacted: Bool = false) {
    self.hub = hub
    hub.log.keepInput()
    recording = TraceRecording(HIDTraceRecorder(devices: [], sources: 1, isRedacted: isRedacted))
  }

  /// Takes it that devices which are unplugged from now on are so because the run ends: nothing happens to them.
  package func willEnd() { endIndex.store(hub.log.endIndex, ordering: .relaxed) }

  /// Records from the first event to the end of the log.
  package func run() async {
    let log = hub.log
    var index = 0
    var known: [String: Known] = [:]
    // In a virtual time far more happens than can be written meanwhile: it is waited for.
    log.timeline.beginWork()
    defer { log.timeline.endWork() }
    // Those that are there from the beginning have the first places, in their order.
    for device in hub.devices {
      for interface in device.interfaces { _ = place(interface.label, nil, &known) }
    }
    while await log.workWaits(for: index) {
      let (events, missed) = log.read(from: &index)
      if missed > 0, let time = events.first?.time, !known.isEmpty {
        recording.add { $0.add(.lost(missed), device: 0, at: time, from: 0) }
      }
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

  /// The name of an interface that stands for a device: of several the first, as for packets.
  private func interface(of label: String) -> String {
    hub.devices.first { $0.label == label }?.interfaces.first?.label ?? label
  }

  /// The place of a device in the trace; another device that has its name now is another one.
  private func place(
    _ label: String, _ record: HIDDeviceRecord?, _ known: inout [String: Known]
  ) -> Int? {
    if let found = known[label], record.map({ $0.descriptorBytes == found.descriptor }) ?? true {
      if found.isPlugged || record != nil { return found.place }
    }
    // As it is now: of one that has gone meanwhile its bus' record tells.
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
