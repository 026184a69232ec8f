// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// The resources that this process holds.
struct Held: Sendable {
  var descriptors: Int
  /// The threads of hidsim; the threads of Swift's pool come and go.
  var threads: Int
  var residentKiB: Int

  static func now() -> Held {
    Held(
      descriptors: names("/proc/self/fd").count,
      threads: names("/proc/self/task").count { isOurs(thread: $0) }, residentKiB: residentKiB())
  }

  /// Waits until the threads that close descriptors are done, for some seconds at most, and counts.
  ///
  /// There is no event for the end of a thread or the closing of a descriptor, so the function
  /// counts repeatedly.
  static func settled(atMost bound: Held? = nil) async throws -> Held {
    var held = now()
    for _ in 0..<200 {
      if let bound, held.descriptors <= bound.descriptors, held.threads <= bound.threads { break }
      try await Task.sleep(for: .milliseconds(20))
      let next = now()
      if bound == nil, next.descriptors == held.descriptors, next.threads == held.threads { break }
      held = next
    }
    return held
  }

  private static func names(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func isOurs(thread: String) -> Bool {
    let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
    return name?.hasPrefix("hidsim-") == true
  }

  private static func residentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
