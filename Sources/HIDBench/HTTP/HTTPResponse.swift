// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A response of HTTP/1.1.
package struct HTTPResponse: Sendable {
  /// The content of a response.
  package enum Body: Sendable {
    /// Bytes, whose number is sent before them.
    case bytes([UInt8])
    /// Bytes that a closure writes; the connection ends after them.
    case stream(@Sendable (HTTPBodyWriter) async -> Void)
  }

  /// The status code: 200, 404.
  package var status: Int
  /// The names and values of the header fields, without `Content-Length` and `Connection`.
  package var headers: [(name: String, value: String)]
  /// The content.
  package var body: Body
  /// True if the connection ends after the response; after a stream it ends in any case.
  package var isLast = false

  /// Makes a response with bytes of a media type.
  package init(_ status: Int = 200, type: String, _ bytes: [UInt8]) {
    self.status = status
    headers = [("Content-Type", type)]
    body = .bytes(bytes)
  }

  /// Makes a response with the status and the message of a refusal, as plain text.
  package init(_ refusal: HTTPRefusal) {
    self.init(
      refusal.status, type: "text/plain; charset=utf-8", Array("\(refusal.message)\n".utf8))
  }

  /// Makes a response with Server-Sent Events, which a closure writes.
  package init(events: @escaping @Sendable (HTTPBodyWriter) async -> Void) {
    status = 200
    headers = [("Content-Type", "text/event-stream")]
    body = .stream(events)
  }

  /// The head of the response.
  var head: [UInt8] {
    var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    var isLast = isLast
    switch body {
    case .bytes(let bytes): text += "Content-Length: \(bytes.count)\r\n"
    case .stream: isLast = true
    }
    if isLast { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 422: "Unprocessable Content"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}

extension JSONLine {
  /// Returns the line as a Server-Sent Event.
  ///
  /// - Parameter id: The ID with which a client asks for the events after it; nil for none.
  func serverSentEvent(id: String? = nil) -> [UInt8] {
    Array((id.map { "id: \($0)\n" } ?? "").utf8) + Array("data: ".utf8) + utf8 + [0x0A, 0x0A]
  }
}
