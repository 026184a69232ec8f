// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The reports of all devices of a file, sorted by time.
///
/// Reports with equal times keep the order of the file.
///
/// Commands of two devices that happen at the same time can be far apart in the file. One reader
/// reads the file for all devices, as long as the reports that it has read ahead fit into a small
/// buffer. Then a copy of the reader continues for the devices that are behind. There are never
/// more readers than devices.
struct AndroidEventMerge: Sendable {
  /// The limit of the memory for reports that one reader has read ahead, in bytes.
  static let capacity = 256 << 10

  private struct Waiting: Sendable {
    let event: HIDTraceEvent
    let order: Int
  }

  private struct Device: Sendable {
    var clock: Int64 = 0
    /// The number of reports that are not read yet.
    var remaining: Int
    /// The index of the reader that reads the commands of the device.
    var reader = 0
    var waiting = FirstInFirstOut<Waiting>()
  }

  private struct Reader: Sendable {
    var scanner: AndroidScanner
    /// The memory, in bytes, of the waiting reports that this reader has read.
    var weight = 0
  }

  private var devices: [Device]
  private var readers: [Reader]

  /// Starts to read a file.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - reportCounts: The number of reports that each device sends in all.
  init(_ source: HIDTraceSource, reportCounts: [Int]) {
    devices = reportCounts.map { Device(remaining: $0) }
    readers = [Reader(scanner: AndroidScanner(source))]
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    while true {
      let first = firstWaiting()
      guard let behind = deviceBehind(first) else {
        return first.flatMap { take($0.device) }
      }
      try readOn(for: behind, first)
    }
  }

  private typealias Place = (time: Int64, order: Int, device: Int)

  private func firstWaiting() -> Place? {
    var first: Place?
    for (index, device) in devices.enumerated() {
      guard let waiting = device.waiting.first else { continue }
      let time = waiting.event.microseconds
      if let found = first, (found.time, found.order) < (time, waiting.order) { continue }
      first = (time, waiting.order, index)
    }
    return first
  }

  /// Returns a device whose next report may precede the first report that waits; nil if there is
  /// none.
  private func deviceBehind(_ first: Place?) -> Int? {
    devices.indices.first { isBehind($0, first) }
  }

  private func isBehind(_ index: Int, _ first: Place?) -> Bool {
    let device = devices[index]
    guard device.remaining > 0, device.waiting.first == nil else { return false }
    guard let first else { return true }
    let order = readers[device.reader].scanner.count
    return (device.clock, order) < (first.time, first.order)
  }

  private mutating func take(_ index: Int) -> HIDTraceEvent? {
    guard let waiting = devices[index].waiting.removeFirst() else { return nil }
    readers[devices[index].reader].weight -= Self.weight(waiting.event)
    return waiting.event
  }

  private mutating func readOn(for behind: Int, _ first: Place?) throws(HIDTraceError) {
    var number = devices[behind].reader
    if readers[number].weight >= Self.capacity {
      readers.append(Reader(scanner: readers[number].scanner))
      for index in devices.indices where devices[index].reader == number && isBehind(index, first) {
        devices[index].reader = readers.count - 1
      }
      number = readers.count - 1
    }
    guard let step = try readers[number].scanner.next() else {
      // The file has become shorter since it was read first.
      for index in devices.indices where devices[index].reader == number {
        devices[index].remaining = 0
      }
      return
    }
    guard case .command(let command, let index) = step, index < devices.count,
      devices[index].reader == number
    else { return }
    switch command {
    case .delay(let duration):
      let (seconds, attoseconds) = duration.components
      let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
      let (sum, isTooLong) = devices[index].clock.addingReportingOverflow(microseconds)
      devices[index].clock = isTooLong ? .max : sum
    case .report(let bytes):
      let event = HIDTraceEvent(
        microseconds: devices[index].clock, device: index, kind: .input(HIDReportBytes(bytes)),
        line: readers[number].scanner.line)
      devices[index].waiting.append(Waiting(event: event, order: readers[number].scanner.count))
      devices[index].remaining -= 1
      readers[number].weight += Self.weight(event)
    case .register, .setGetReportResponse, .sendSetReportReply: break
    }
  }

  private static func weight(_ event: HIDTraceEvent) -> Int {
    if case .input(let bytes) = event.kind { 256 + bytes.count } else { 256 }
  }
}

/// A queue.
///
/// Removed elements stay in the array until there are more than 1,024, or until the queue is empty.
/// So a removal seldom moves the remaining elements.
private struct FirstInFirstOut<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private var start = 0

  var first: Element? { start < elements.count ? elements[start] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() -> Element? {
    guard let first else { return nil }
    start += 1
    if start == elements.count || start > 1024 {
      elements.removeFirst(start)
      start = 0
    }
    return first
  }
}
