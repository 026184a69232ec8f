// SPDX-License-Identifier: Apache-2.0
import HIDSimulator
import HIDText
import IOLoop

/// The commands of a script that wait.
extension HIDScriptRun {
  func deadline(_ bound: Duration?) -> MonotonicTime {
    timeline.now.advanced(by: bound ?? .zero)
  }

  func waitForOpen(_ bound: Duration, _ statement: Statement) async throws {
    let start = log.endIndex
    var next = start
    let deadline = deadline(bound)
    while !interfaces(statement).contains(where: \.isOpen) {
      guard await log.workWaits(for: next, until: deadline) else {
        try Task.checkCancellation()
        throw failure(statement, "no client opened the device within \(bound.text)", since: start)
      }
      _ = log.read(from: &next)
    }
  }

  func wait(
    for reader: HIDNodeReader, _ bound: Duration, _ statement: Statement
  ) async throws {
    let deadline = deadline(bound)
    let start = log.endIndex
    let search = ReaderSearch(
      interfaces(statement), reader: reader, countingOwn: countsOwnReaders, in: log)
    if await search.wait(until: deadline).isFound { return }
    try Task.checkCancellation()
    throw failure(
      statement, "no program had the \(reader.noun) open within \(bound.text)", since: start)
  }
}
