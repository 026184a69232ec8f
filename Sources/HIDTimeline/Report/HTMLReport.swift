// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import HIDText

/// A report as one HTML file that needs no server and no other file.
///
/// It shows parts, each with a timeline if there is one. The data are JSON in the file; the page
/// "Reports in HTML" lists their keys.
package struct HTMLReport: Sendable {
  /// The title of the page.
  package var title: String
  /// The result in a few words, which the page shows below its title.
  package var summary: String
  /// The facts about the machine and the program: names and values.
  package var environment: [(name: String, value: String)]
  /// The parts, in order: objects with the keys of a part.
  package var parts: [JSONText] = []

  package init(title: String, summary: String, environment: [(name: String, value: String)]) {
    self.title = title
    self.summary = summary
    self.environment = environment
  }

  /// Adds a part with a text and a timeline.
  ///
  /// - Parameters:
  ///   - title: The title of the part.
  ///   - outcome: `passed` or `failed`; nil for a part that checks nothing.
  ///   - message: The text above the timeline.
  ///   - differences: The differences of two traces; nil for one trace.
  ///   - timeline: The timeline; nil for a part without one.
  package mutating func add(
    _ title: String, outcome: String? = nil, message: String, differences: [JSONText]? = nil,
    timeline: JSONLine?
  ) {
    parts.append(
      .object { line in
        line.add("title", .string(title))
        if let outcome { line.add("outcome", .string(outcome)) }
        line.add("message", .string(message))
        if let differences { line.add("differences", .array(differences)) }
        line.add("timeline", .optional(timeline) { .object($0) })
      })
  }

  /// The facts about this machine and the time.
  package static var machine: [(name: String, value: String)] {
    [
      ("System", ProcessInfo.processInfo.operatingSystemVersionString),
      ("Written", Date.now.formatted(.iso8601)),
    ]
  }

  /// The data of the report.
  package var json: JSONLine {
    JSONLine { line in
      line.add("title", .string(title))
      line.add("summary", .string(summary))
      line.add(
        "environment",
        .array(environment.map { .array([.string($0.name), .string($0.value)]) }))
      line.add("parts", .array(parts))
    }
  }

  /// The bytes of the file.
  package var html: [UInt8] { Self.html(of: json.utf8) }

  /// Returns the bytes of the file for data in JSON, which the page reads with `JSON.parse`.
  package static func html(of json: [UInt8]) -> [UInt8] {
    var html = Array(head.utf8)
    html += PackageResources.timeline_css
    html += PackageResources.report_css
    html += Array(body.utf8)
    // A "<" in JSON is always in a string: "</script>" or "<!--" would end the data.
    for byte in json {
      if byte == UInt8(ascii: "<") { html += Array(#"\u003c"#.utf8) } else { html.append(byte) }
    }
    html += Array("</script>\n<script type=\"module\">\n".utf8)
    for module in [
      PackageResources.dom_js, PackageResources.timeline_js, PackageResources.report_js,
    ] {
      html += joined(module)
    }
    html += Array("</script>\n</body>\n</html>\n".utf8)
    return html
  }

  /// Returns a module without its imports, and without the word `export`, so that modules can
  /// follow each other in one script.
  private static func joined(_ module: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for line in module.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.starts(with: "import ".utf8) { continue }
      result += line.starts(with: "export ".utf8) ? line.dropFirst("export ".utf8.count) : line
      result.append(UInt8(ascii: "\n"))
    }
    return result
  }

  private static let head = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
    <title>hidsim report</title>
    <link rel="icon" href="data:,">
    <style>

    """

  private static let body = """
    </style>
    </head>
    <body>
    <main id="report"></main>
    <noscript>The report needs JavaScript.</noscript>
    <script type="application/json" id="data">
    """
}
