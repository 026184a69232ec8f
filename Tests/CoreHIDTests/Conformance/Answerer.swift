// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Synchronization

/// A delegate that records its requests in order, and gives the answers that the test sets.
final class Answerer: HIDVirtualDeviceDelegate {
  /// A request to the delegate.
  enum Request: Hashable, Sendable {
    case get(HIDReportType, HIDReportID?, maxSize: Int)
    case set(HIDReportType, HIDReportID?, [UInt8])
  }

  enum Answer: Sendable {
    /// A report, or the acceptance of a report.
    case yes([UInt8] = [])
    /// An error.
    case no
    /// No answer before the test calls ``Answerer/answer(_:)``.
    case later
  }

  struct NothingCame: Error {}

  private struct State: Sendable {
    var requests: [Request] = []
    var owed: [CheckedContinuation<Answer, Never>] = []
    var isOver = false
    var onGet: @Sendable (HIDReportType, HIDReportID?) -> Answer
    var onSet: @Sendable (HIDReportType, [UInt8]) -> Answer
  }

  private let state: Mutex<State>
  private let (news, teller) = AsyncStream<Request>.makeStream()

  init(
    onGet: @escaping @Sendable (HIDReportType, HIDReportID?) -> Answer = { _, _ in .no },
    onSet: @escaping @Sendable (HIDReportType, [UInt8]) -> Answer = { _, _ in .yes() }
  ) {
    state = Mutex(State(onGet: onGet, onSet: onSet))
  }

  /// All requests so far.
  var requests: [Request] { state.withLock { $0.requests } }

  /// Waits for the first request that no earlier call has returned.
  ///
  /// - Throws: `NothingCame` if the test's time limit ends the wait.
  func next() async throws -> Request {
    for await request in news { return request }
    throw NothingCame()
  }

  /// Answers the request that has waited longest.
  func answer(_ answer: Answer) {
    let first = state.withLock { $0.owed.isEmpty ? nil : $0.owed.removeFirst() }
    first?.resume(returning: answer)
  }

  /// Refuses the requests that wait for an answer, and all later ones that would wait.
  func refuseTheRest() {
    let owed = state.withLock { state in
      state.isOver = true
      defer { state.owed = [] }
      return state.owed
    }
    for continuation in owed { continuation.resume(returning: .no) }
  }

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) async throws {
    let answer = state.withLock { $0.onSet }(type, [UInt8](data))
    _ = try await take(.set(type, id, [UInt8](data)), answer)
  }

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: Int
  ) async throws -> Data {
    let answer = state.withLock { $0.onGet }(type, id)
    return Data(try await take(.get(type, id, maxSize: maxSize), answer))
  }

  private func take(_ request: Request, _ answer: Answer) async throws -> [UInt8] {
    var answer = answer
    if case .later = answer {
      // The request is recorded only when it can be answered.
      answer = await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.owed.append(continuation) }
          return state.isOver
        }
        note(request)
        if isOver { continuation.resume(returning: .no) }
      }
    } else {
      note(request)
    }
    guard case .yes(let report) = answer else { throw HIDDeviceError.unsupported }
    return report
  }

  private func note(_ request: Request) {
    state.withLock { $0.requests.append(request) }
    teller.yield(request)
  }
}
