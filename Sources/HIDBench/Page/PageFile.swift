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
    default: modules[name].map { script($0()) }
    }
  }

  /// The modules of the page.
  private static let modules: [String: @Sendable () -> [UInt8]] = [
    "adding.js": { PackageResources.adding_js },
    "bench.js": { PackageResources.bench_js },
    "controls.js": { PackageResources.controls_js },
    "device.js": { PackageResources.device_js },
    "dom.js": { TimelinePage.elements },
    "elements.js": { PackageResources.elements_js },
    "faults.js": { PackageResources.faults_js },
    "keyboard.js": { PackageResources.keyboard_js },
    "list.js": { PackageResources.list_js },
    "other.js": { PackageResources.other_js },
    "panel-link.js": { PackageResources.panel_link_js },
    "panel-state.js": { PackageResources.panel_state_js },
    "panel-usb.js": { PackageResources.panel_usb_js },
    "panels.js": { PackageResources.panels_js },
    "recorder.js": { PackageResources.recorder_js },
    "serial.js": { PackageResources.serial_js },
    "store.js": { PackageResources.store_js },
    "surface.js": { PackageResources.surface_js },
    "timeline.js": { TimelinePage.timeline },
    "trace.js": { PackageResources.trace_js },
  ]

  private static func style(_ bytes: [UInt8]) -> PageFile {
    PageFile(type: "text/css; charset=utf-8", bytes: bytes)
  }

  private static func script(_ bytes: [UInt8]) -> PageFile {
    PageFile(type: "text/javascript; charset=utf-8", bytes: bytes)
  }
}
