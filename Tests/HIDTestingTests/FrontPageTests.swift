// SPDX-License-Identifier: Apache-2.0

import Foundation
import CoreHID
import HIDTesting
import Synchronization
import Testing

/// Sets the Num Lock LED at each input report, instead of Caps Lock: the bug in the README.
private func lightNumLock(on keyboard: HIDDeviceClient) async throws {
  for try await notification in await keyboard.monitorNotifications(
    reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
  {
    guard case .inputReport = notification else { continue }
    try await keyboard.dispatchSetReportRequest(type: .output, id: nil, data: Data([0x01]))
  }
}

@Test(
  "code with a bug fails with the message that the README shows",
  .virtualDevice("keyboard.json", bus: .loopback))
func frontPage() async throws {
  let page = try String(
    contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../README.md"), encoding: .utf8)
  let block = try #require(page.components(separatedBy: "```\n✘ Test light()").last)
  let shown = block.split(separator: "\n").dropFirst().prefix { $0 != "```" }
    .filter { $0 != "…" }.map { $0.drop { $0 == "↳" || $0 == " " } }
    .map { $0.replacing(/\d\.\d{6}|\w+ \(\d+\)/, with: "…") }
  #expect(shown.count == 3)
  let keyboard = try HIDTestDevice.current
  let following = Task { try await lightNumLock(on: keyboard.client) }
  defer { following.cancel() }
  try await keyboard.waitForReader(within: .seconds(60))
  let told = Mutex("")
  try await withKnownIssue {
    try await keyboard.press("leftShift")
    try await keyboard.expect(.led(.capsLock), is: 1, within: .seconds(1))
  } matching: { issue in
    told.withLock { $0 = issue.comments.map(\.rawValue).joined(separator: "\n") }
    return true
  }
  // The trait adds the rest to the failure, which FailureTests check.
  #expect(shown.first.map(String.init) == told.withLock(\.self))
}
