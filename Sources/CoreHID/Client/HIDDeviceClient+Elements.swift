// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop

extension HIDDeviceClient {
  /// Reads and sets values of elements, strictly in order.
  ///
  /// An update can fail while others succeed. An update that fails with ``HIDDeviceError/timeout``
  /// ends the call: all later updates fail with ``HIDDeviceError/aborted``. If the device does not
  /// answer within the bus's own limit, the update fails with ``HIDDeviceError/ioError`` instead.
  /// That does not end the call.
  ///
  /// - Parameters:
  ///   - updates: The updates: ``RequestElementUpdate`` and ``ProvideElementUpdate``. Values of
  ///     other types are ignored.
  ///   - timeout: The longest time to wait for each update; `nil` for the bus's own limit for each
  ///     report.
  /// - Returns: The result of each update that is not ignored.
  public func updateElements(
    _ updates: [any HIDElementUpdate], timeout: Duration? = nil
  ) async -> HIDElementUpdateResult {
    outstanding.beginRequest()
    defer { outstanding.endRequest() }
    var results = HIDElementUpdateResult()
    var isOver = false
    for update in updates {
      let deadline = Self.deadline(timeout)
      switch update {
      case let update as RequestElementUpdate:
        let result = await isOver ? .failure(.aborted) : request(update, until: deadline)
        isOver = isOver || result.isTimeout
        results.note(result.mapError { $0 }, of: update)
      case let update as ProvideElementUpdate:
        let result = await isOver ? .failure(.aborted) : provide(update, until: deadline)
        isOver = isOver || result.isTimeout
        results.note(result.mapError { $0 }, of: update)
      // An update of a type that the caller declared: the result has no subscript for it.
      default: break
      }
    }
    return results
  }

  // MARK: Requests

  private func request(
    _ update: RequestElementUpdate, until deadline: MonotonicTime?
  ) async -> Result<[HIDElement.Value], HIDDeviceError> {
    do throws(HIDDeviceError) {
      var order: [Int32] = []
      var places: [Int32: [Int]] = [:]
      for (index, element) in update.elements.enumerated() {
        guard element.client === self, model.field(of: element.place) != nil else {
          throw .badArgument
        }
        if places[element.place.report] == nil { order.append(element.place.report) }
        places[element.place.report, default: []].append(index)
      }
      if !update.pollDevice { try checkIsUsable() }
      var values = [HIDElement.Value?](repeating: nil, count: update.elements.count)
      for index in order {
        let layout = model.reports[Int(index)]
        let report =
          update.pollDevice
          ? HIDReportBytes(try await get(layout.type, layout.id, until: deadline))
          : HIDReportBytes(lastReport(layout, at: Int(index)))
        let indices = places[index, default: []]
        let elements = indices.map { update.elements[$0] }
        let some = model.values(of: elements, in: report, at: .now)
        // The report is shorter than declared.
        guard some.count == elements.count else { throw .deviceError }
        for (index, value) in zip(indices, some) { values[index] = value }
      }
      return .success(values.compactMap(\.self))
    } catch {
      return .failure(error)
    }
  }

  /// Checks that nothing is known to prevent opening the device, and that no other client has
  /// seized it.
  private func checkIsUsable() throws(HIDDeviceError) {
    do throws(HIDBusError) {
      let target = deviceReference.target
      if let failure = target.failure { throw failure }
      if let record = target.knownRecord {
        if let obstacle = target.catalog.obstacle(toOpening: record) { throw obstacle }
        // The client may not have opened the device yet.
        connection.agree(on: record)
      }
      try connection.checkIsFree()
    } catch {
      throw connection.note(error)
    }
  }

  // MARK: Values

  private func provide(
    _ update: ProvideElementUpdate, until deadline: MonotonicTime?
  ) async -> Result<Void, HIDDeviceError> {
    do throws(HIDDeviceError) {
      var order: [Int32] = []
      var reports: [Int32: [UInt8]] = [:]
      for value in update.values {
        let place = value.element.place
        guard value.element.client === self, let layout = model.layout(of: place) else {
          throw .badArgument
        }
        if reports[place.report] == nil {
          order.append(place.report)
          reports[place.report] = lastReport(layout, at: Int(place.report))
        }
        guard model.put(value, into: &reports[place.report, default: []]) else {
          throw .badArgument
        }
      }
      for index in order {
        guard let report = reports[index] else { continue }
        try await set(model.reports[Int(index)].type, report, until: deadline)
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Returns the last content of a report, cut or filled up to the declared length.
  ///
  /// Elements without a new value keep the bits of this content. A report that was never seen is
  /// neutral: its arrays select nothing, if they can.
  private func lastReport(_ layout: HIDReportLayout, at index: Int) -> [UInt8] {
    var report = layout.neutralReport
    guard let last = lastReports[index] else { return report }
    for index in 0..<min(report.count, last.count) { report[index] = last[index] }
    return report
  }
}

extension Result where Failure == HIDDeviceError {
  fileprivate var isTimeout: Bool { if case .failure(.timeout) = self { true } else { false } }
}
