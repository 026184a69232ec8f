// SPDX-License-Identifier: Apache-2.0

/// The files that a page with a timeline needs.
package enum TimelinePage {
  /// The module `dom.js`, which makes elements, words of scripts, and addresses of views.
  package static var elements: [UInt8] { PackageResources.dom_js }
  /// The module `timeline.js`.
  package static var timeline: [UInt8] { PackageResources.timeline_js }
  /// The style sheet, with the colours of all pages.
  package static var style: [UInt8] { PackageResources.timeline_css }
}
