// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDTraces
import IOLoop

/// Bytes of a recording, which come while it is made.
package protocol RecordedBytes: Sendable {
  /// Waits for bytes, and returns them; nil if there are none after the end of the recording.
  func take() async -> [UInt8]?

  /// Resumes the tasks that wait for the file, and makes later waits return at once.
  func stopWaiting()
}

/// A capture of the transfers of USB devices in this process, while it is made.
///
/// The loop of the devices does not wait for the file. While ``capacity`` or more bytes wait to be
/// written, packets are lost and counted.
package final class USBCaptureRecording: USBTransferSink, RecordedBytes {
  /// The number of waiting bytes from which packets are lost.
  package static let capacity = 16 << 20

  private struct State: Sendable {
    let writer = CaptureWriter()
    var bytes: [UInt8] = []
    var packetCount: UInt64 = 0
    var lostCount: UInt64 = 0
    var latest: Int64 = 0
    var deviceCount = 0
    var hasEnded = false
  }

  private let state: ConditionMutex<State>

  package init() {
    var state = State()
    state.writer.begin(into: &state.bytes)
    self.state = ConditionMutex(state)
  }

  /// The number of packets in the capture.
  package var packetCount: UInt64 { state.withLock { $0.packetCount } }
  /// The number of packets that were lost.
  package var lostCount: UInt64 { state.withLock { $0.lostCount } }

  package func nextDeviceNumber() -> UInt8 {
    // A hub has number 1 on a bus of its own. A packet has 7 bits for the number.
    state.withLock { state in
      defer { state.deviceCount += 1 }
      return UInt8(2 + state.deviceCount % 126)
    }
  }

  package func record(_ step: USBTransferStep) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      guard state.bytes.count < Self.capacity else {
        state.lostCount += 1
        return
      }
      state.writer.write(UsbmonPacket(step), into: &state.bytes)
      state.packetCount += 1
      state.latest = step.microseconds
    }
  }

  /// Ends the capture; the remaining bytes can still be taken.
  package func finish() {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      state.writer.end(
        received: state.packetCount + state.lostCount, lost: state.lostCount,
        microseconds: state.latest, into: &state.bytes)
    }
  }

  package func stopWaiting() {}

  package func take() async -> [UInt8]? {
    await state.wait { !$0.bytes.isEmpty || $0.hasEnded }
    // Bytes that were added since the wait ended are taken with the others.
    return state.withLock { state in
      defer { state.bytes = [] }
      return state.bytes.isEmpty ? nil : state.bytes
    }
  }
}

extension TraceRecording: RecordedBytes {}

extension UsbmonPacket {
  fileprivate init(_ step: USBTransferStep) {
    self.init(
      isEnd: step.isEnd, id: step.id, microseconds: step.microseconds, bus: step.bus,
      device: step.device, endpoint: step.endpoint, kind: step.kind.rawValue,
      setup: step.setup?.bytes, status: step.status, byteCount: step.byteCount, data: step.data,
      interval: step.interval, flags: step.flags)
  }
}
