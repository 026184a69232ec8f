// SPDX-License-Identifier: Apache-2.0

// Code as programs for macOS have it, after Apple's article on communicating with devices. Only the
// module `CoreHID` is hidsim's.

import CoreHID
import Foundation

/// The observations of one run with a keyboard.
package struct ShiftObservation: Sendable, Equatable {
  package var product: String?
  package var wasDownBefore: Bool?
  package var isDownAfter: Bool?
  package init() {}
}

package enum KeyboardProblem: Error {
  case noClient
  case noElement
  case noResult
}

/// Finds the keyboard with a name, turns its Caps Lock lamp off and then on, and reads Left Shift
/// before and after the lamp is turned on.
package func toggleCapsLock(onKeyboardNamed name: String) async throws -> ShiftObservation {
  let manager = HIDDeviceManager()
  let searchCriteria = HIDDeviceManager.DeviceMatchingCriteria(
    primaryUsage: .genericDesktop(.keyboard), product: name)
  let deviceReferenceStream = await manager.monitorNotifications(matchingCriteria: [searchCriteria])
  for try await deviceNotification in deviceReferenceStream {
    switch deviceNotification {
    case .deviceMatched(let deviceReference):
      guard let client = HIDDeviceClient(deviceReference: deviceReference) else {
        throw KeyboardProblem.noClient
      }
      return try await toggleCapsLock(with: client)
    case .deviceRemoved:
      continue
    @unknown default:
      continue
    }
  }
  throw KeyboardProblem.noClient
}

private func toggleCapsLock(with client: HIDDeviceClient) async throws -> ShiftObservation {
  var observation = ShiftObservation()
  observation.product = await client.product
  let primaryUsage = await client.primaryUsage
  let transport = await client.transport
  print("\(client): \(primaryUsage), \(String(describing: transport))")

  guard
    let capsLock = await client.elements.first(where: { $0.usage == .led(.capsLock) }),
    let leftShift = await client.elements.filter({
      $0.usage == .keyboardOrKeypad(.keyboardLeftShift)
    }).first
  else { throw KeyboardProblem.noElement }

  let capsLockOff = HIDElement.Value(
    element: capsLock, fromIntegerTruncatingIfNeeded: 0, timestamp: .now)
  let capsLockOn = HIDElement.Value(
    element: capsLock, fromIntegerTruncatingIfNeeded: 1, timestamp: .now)
  let turnOff = HIDDeviceClient.ProvideElementUpdate(values: [capsLockOff])
  let stateBefore = HIDDeviceClient.RequestElementUpdate(elements: [leftShift])
  let turnOn = HIDDeviceClient.ProvideElementUpdate(values: [capsLockOn])
  let stateAfter = HIDDeviceClient.RequestElementUpdate(elements: [leftShift])
  let results = await client.updateElements([turnOff, stateBefore, turnOn, stateAfter])
  try results[turnOff]?.get()
  try results[turnOn]?.get()
  guard let before = try results[stateBefore]?.get(), let after = try results[stateAfter]?.get()
  else { throw KeyboardProblem.noResult }
  observation.wasDownBefore = before[0].integerValue(asTypeTruncatingIfNeeded: Int.self) != 0
  observation.isDownAfter = after[0].integerValue(asTypeTruncatingIfNeeded: Int.self) != 0
  return observation
}

/// Waits until Left Shift was pressed and released, and returns the values of its element.
package func waitForShift(_ client: HIDDeviceClient) async throws -> [Bool] {
  let elements = await client.elements.filter { $0.usage == .keyboardOrKeypad(.keyboardLeftShift) }
  var seen: [Bool] = []
  let updates = await client.monitorNotifications(
    reportIDsToMonitor: [], elementsToMonitor: elements)
  for try await notification in updates {
    switch notification {
    case .elementUpdates(let values):
      seen.append(values[0].integerValue(asTypeTruncatingIfNeeded: UInt8.self) == 1)
      if seen.suffix(2) == [true, false] { return seen }
    case .deviceRemoved: return seen
    default: continue
    }
  }
  return seen
}

/// Gets input report 1, and then waits for the first input report that the device sends.
///
/// A first report with another ID stops the program. `came` is empty if the stream ends before a
/// report.
package func firstReport(_ client: HIDDeviceClient) async throws -> (asked: Data, came: Data) {
  let reportID = HIDReportID(rawValue: 1)
  let asked = try await client.dispatchGetReportRequest(type: .input, id: reportID)
  let stream = await client.monitorNotifications(
    reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
  for try await notification in stream {
    guard case .inputReport(id: let id, data: let data, timestamp: _) = notification else {
      continue
    }
    precondition(id == reportID)
    return (asked, data)
  }
  return (asked, Data())
}
