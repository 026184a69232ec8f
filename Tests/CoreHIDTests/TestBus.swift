// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDBus
import Testing

/// All tests of CoreHID, one after the other.
///
/// On the kernel bus every test sees every device, and a device that does not answer delays the
/// opening of the others.
@Suite("CoreHID", .serialized, .timeLimit(.minutes(1)))
struct OnBothBuses {}

/// A bus on which a test runs.
enum TestBus: String, Sendable, CaseIterable, CustomTestStringConvertible {
  case loopback
  case kernel

  /// The buses of this machine.
  ///
  /// The loopback bus is always there; the kernel bus is there if `/dev/uhid` opens. If
  /// `HIDSIM_TEST_BUS` names a bus, it is the only one.
  static let all: [TestBus] = {
    let asked = ProcessInfo.processInfo.environment["HIDSIM_TEST_BUS"]
    if let bus = asked.flatMap(TestBus.init(rawValue:)) { return [bus] }
    return HIDBus.kernelTakesDevices ? [.loopback, .kernel] : [.loopback]
  }()

  var testDescription: String { rawValue }

  /// Runs a body on the bus; the loopback bus is a new one for each call.
  func run<Value>(_ body: () async throws -> Value) async throws -> Value {
    switch self {
    case .kernel:
      let bus = try HIDBus(.kernel)
      return try await HIDBus.$current.withValue(bus) { try await body() }
    case .loopback: return try await HIDBus.isolated { try await body() }
    }
  }
}

/// A delegate that keeps the reports it receives, and gives the answers that the test sets.
actor Recorder: HIDVirtualDeviceDelegate {
  private(set) var received: [(type: HIDReportType, id: HIDReportID?, data: Data)] = []
  private var answer: Result<Data, HIDDeviceError> = .success(Data(count: 8))
  private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) throws {
    received.append((type, id, data))
    for waiter in waiters where waiter.count <= received.count { waiter.continuation.resume() }
    waiters.removeAll { $0.count <= received.count }
  }

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: Int
  ) throws -> Data { try answer.get() }

  func answer(with data: Data) { answer = .success(data) }
  func refuse(with error: HIDDeviceError) { answer = .failure(error) }

  func waitForReports(_ count: Int) async {
    if received.count >= count { return }
    await withCheckedContinuation { waiters.append((count, $0)) }
  }
}

/// Waits until a condition holds; otherwise the time limit of the test ends the wait.
func eventually(_ isSo: () -> Bool) async throws {
  while !isSo() { try await Task.sleep(for: .milliseconds(5)) }
}
