// SPDX-License-Identifier: Apache-2.0

import HIDText
public import HIDTraces
import IOLoop

/// Checks that bytes are read as a trace of a format, or refused with locations.
///
/// If a trace was read, it is written and read again. Its events, and the descriptors, identities
/// and names of its devices, must then be the same. The lines of events, and names with control
/// characters, are not compared.
public func checkTrace(_ format: HIDTraceFormat, _ bytes: [UInt8]) {
  for isLenient in [false, true] {
    let options = HIDTraceReadingOptions(
      format: format, isLenient: isLenient, descriptors: [[0x05, 0x01]])
    do throws(HIDTraceError) {
      check(try HIDTrace(bytes, name: "t", options: options))
    } catch {
      expect((1...20).contains(error.problems.count), "\(error.problems.count) problems")
      for problem in error.problems {
        expect(problem.location.line > 0 && !problem.message.isEmpty, "a problem without a place")
      }
    }
  }
  _ = try? HIDTraceFormat.detect(HIDTraceSource(name: "t", bytes: bytes))
}

private func check(_ trace: HIDTrace) {
  expect((1...HIDTraceReader.maximumDeviceCount).contains(trace.devices.count), "devices")
  for device in trace.devices {
    expect(
      device.descriptor.count <= HIDTraceReader.maximumDescriptorByteCount, "a long descriptor")
  }
  for event in trace.events {
    expect(trace.devices.indices.contains(event.device), "an event of no device")
    expect(event.microseconds >= 0, "a stamp of \(event.microseconds)")
  }
  guard let text = trace.written() else { return expect(false, "it cannot be written") }
  do throws(HIDTraceError) {
    let again = try HIDTrace(
      text, name: "again", options: HIDTraceReadingOptions(format: .recorder))
    expect(again.devices.map(\.descriptor) == trace.devices.map(\.descriptor), "other devices")
    expect(again.devices.map(\.identity) == trace.devices.map(\.identity), "other identities")
    for (device, other) in zip(trace.devices, again.devices) {
      guard let name = device.name, !name.unicodeScalars.contains(where: \.isControl) else {
        continue
      }
      expect(other.name == name, "another name")
    }
    expect(again.events.map(placeless) == trace.events.map(placeless), "other events")
  } catch {
    expect(
      false, "what was written is refused: \(error) \(String(decoding: text, as: UTF8.self))")
  }
}

/// Returns the event without its line in the file.
private func placeless(_ event: HIDTraceEvent) -> HIDTraceEvent {
  var event = event
  event.line = 0
  return event
}
