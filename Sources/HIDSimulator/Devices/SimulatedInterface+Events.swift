// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import HIDBus
import HIDReportDescriptor
import HIDTraces
import IOLoop
import Synchronization

/// The events of hosts, and their entry into the log.
extension SimulatedInterface {
  package func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    timeline.beginWork()
    defer { timeline.endWork() }
    for var event in events {
      if timeline.isVirtual {
        event = HIDHostEventRecord(
          time: timeline.now, event: event.event, client: event.client, route: event.route)
      }
      let (effects, happenings) = state.withLock { state -> HIDInterfaceModel.Reaction in
        // Events in transit when the device was unplugged are dropped.
        guard state.attachment.isCurrent(port) else { return ([], []) }
        return react(to: event, port, &state)
      }
      handleDriverEvent(event.event, port)
      if timeline.isVirtual, let request = event.event.requestWithoutAnswer(in: happenings) {
        putOff(nil, request, port) {}
      }
      for happening in happenings { tell(happening) }
      for effect in effects { perform(effect, port, for: .reply) }
    }
  }

  /// Adds the event of the model to the log.
  func tell(_ happening: HIDInterfaceModel.Happening) {
    if case .usb(let event) = happening.kind, event.isOfDevice,
      let device = state.withLock({ $0.device })
    {
      // All interfaces receive such an event, and the first one adds it for the device.
      guard device.interfaces.first === self else { return }
      return tell(happening, as: device.label)
    }
    tell(happening, as: label)
  }

  /// Adds an event of the interface to the log, with the current time.
  func tell(_ kind: HIDDeviceEvent.Kind) {
    tell(HIDInterfaceModel.Happening(time: timeline.now, kind: kind, client: nil))
  }

  /// Returns whether it is known that no program has the device open, so that a report is that of a
  /// driver of the kernel.
  private func isOfDriver(at time: MonotonicTime) -> Bool {
    guard let record, record.bus == .kernel else { return false }
    guard let node = record.hidrawNode else {
      // The driver has made no node that a program could open, unless a program has replaced it.
      return record.driver != nil
        && FileManager.default.fileExists(atPath: "\(record.address)/driver")
    }
    return NodeOpenings.shared.areNone(of: node, at: time) {
      // Only root sees the open files of all users.
      ProcessInfo.processInfo.userName == "root"
        && !NodeReaders.isAnyOpen([node], countingOwn: true)
    }
  }

  private func tell(_ happening: HIDInterfaceModel.Happening, as label: String) {
    var event = HIDDeviceEvent(
      time: happening.time, device: label, kind: happening.kind, client: happening.client,
      route: happening.route)
    var isByDriver = false
    if case .fidelity = happening.kind { isByDriver = isOfDriver(at: happening.time) }
    // The lock is held, so that no event of an interface is logged after the interface was
    // unplugged.
    state.withLock { state in
      event.isDrivers = state.isBeingTaken || isByDriver
      if state.attachment.isPlugged { log.append(event) }
    }
  }
}

extension HIDHostEvent {
  /// The ID of a request; nil for another event.
  var requestID: HIDRequestID? {
    switch self {
    case .getReport(let request, _, _), .setReport(let request, _, _, _): request
    default: nil
    }
  }

  /// Returns the request if the events to log show that it gets no answer; otherwise nil.
  fileprivate func requestWithoutAnswer(
    in happenings: [HIDInterfaceModel.Happening]
  ) -> HIDRequestID? {
    let hasNone = happenings.contains { happening in
      switch happening.kind {
      case .getReport(_, _, let answer), .setReport(_, let answer): answer.value == .none
      default: false
      }
    }
    return hasNone ? requestID : nil
  }
}
