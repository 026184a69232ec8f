// SPDX-License-Identifier: Apache-2.0

import HIDTimeline

/// A file of the page, which is embedded in the program.
struct PageFile: Sendable {
  let type: String
  let bytes: [UInt8]

  /// Returns a file of the page; nil if there is none with this name.
  static func named(_ name: String) -> PageFile? {
    switch name {
    case "index.html":
      PageFile(type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
    case "bench.css": style(PackageResources.bench_css)
    case "timeline.css": style(TimelinePage.style)
    case "timeline.js": script(TimelinePage.timeline)
    case "bench.js": script(PackageResources.bench_js)
    case "store.js": script(PackageResources.store_js)
    case "list.js": script(PackageResources.list_js)
    case "device.js": script(PackageResources.device_js)
    case "other.js": script(PackageResources.other_js)
    case "recorder.js": script(PackageResources.recorder_js)
    case "trace.js": script(PackageResources.trace_js)
    case "dom.js": script(TimelinePage.elements)
    default: nil
    }
  }

  private static func style(_ bytes: [UInt8]) -> PageFile {
    PageFile(type: "text/css; charset=utf-8", bytes: bytes)
  }

  private static func script(_ bytes: [UInt8]) -> PageFile {
    PageFile(type: "text/javascript; charset=utf-8", bytes: bytes)
  }
}
