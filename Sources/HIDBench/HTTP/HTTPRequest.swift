// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A request of HTTP/1.1.
package struct HTTPRequest: Hashable, Sendable {
  /// The method: `GET`, `POST`.
  package let method: String
  /// The path of the target, not decoded: `/3f…/commands`.
  package let path: String
  /// The decoded names and values of the target's query; a name that occurs twice has its last
  /// value.
  package let query: [String: String]
  /// The header fields, by their names in lower case; a name that occurs twice has its last value.
  package let headers: [String: String]
  /// The content; empty if the request has none.
  package let body: [UInt8]
}

/// The reason why a request is refused.
package struct HTTPRefusal: Error, Hashable, Sendable {
  /// The status code: 400 to 599.
  package let status: Int
  /// The message for the client: one line or more, without the last line break.
  package let message: String

  package init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// A reader of the requests on one connection.
///
/// It keeps at most one head and one body, and the bytes of the latest chunk. A head has at most
/// ``headLimit`` bytes, and the caller limits the body.
package struct HTTPRequestReader: Sendable {
  /// The longest head of a request, in bytes: the request line and the header fields.
  package static let headLimit = 16 << 10
  /// The longest body of most requests, in bytes.
  package static let bodyLimit = 1 << 20

  private struct Head: Sendable {
    let method: String
    let path: String
    let query: [String: String]
    let headers: [String: String]
    let bodyByteCount: Int

    func request(_ body: [UInt8]) -> HTTPRequest {
      HTTPRequest(method: method, path: path, query: query, headers: headers, body: body)
    }
  }

  private var bytes: [UInt8] = []
  /// The number of bytes at the start of `bytes` in which no head ends.
  private var scanned = 0
  private var head: Head?
  private var hasFailed = false

  package init() {}

  /// True if a part of a request has arrived that ``next(_:)`` has not returned.
  package var isInsideRequest: Bool { head != nil || !bytes.isEmpty }

  /// Adds bytes of the connection; ignores them once a request was refused.
  package mutating func append(_ chunk: some Sequence<UInt8>) {
    if !hasFailed { bytes += chunk }
  }

  /// Returns the next whole request; nil if more bytes are needed.
  ///
  /// - Parameter check: Called once with each request, without its body, when its head has arrived.
  ///   Returns the longest body that the request may have, in bytes.
  /// - Throws: The refusal of a request that cannot be read, or that `check` refuses. The
  ///   connection has no meaning after it, and later calls return nil.
  package mutating func next(
    _ check: (HTTPRequest) throws(HTTPRefusal) -> Int = { _ in bodyLimit }
  ) throws(HTTPRefusal) -> HTTPRequest? {
    guard !hasFailed else { return nil }
    do throws(HTTPRefusal) {
      guard let head = try readHead(check), bytes.count >= head.bodyByteCount else { return nil }
      let body = Array(bytes[..<head.bodyByteCount])
      bytes.removeFirst(head.bodyByteCount)
      self.head = nil
      return head.request(body)
    } catch {
      hasFailed = true
      bytes = []
      throw error
    }
  }

  /// Returns the head of the current request; nil if it is not complete.
  private mutating func readHead(
    _ check: (HTTPRequest) throws(HTTPRefusal) -> Int
  ) throws(HTTPRefusal) -> Head? {
    if let head { return head }
    // Empty lines before a request are allowed (RFC 9112, 2.2).
    var empty = 0
    while bytes[empty...].starts(with: [0x0D, 0x0A]) { empty += 2 }
    bytes.removeFirst(empty)
    let end = endOfHead()
    guard end ?? bytes.count <= Self.headLimit else {
      throw HTTPRefusal(431, "the head of the request is longer than \(Self.headLimit) bytes")
    }
    guard let end else { return nil }
    let found = try Self.head(of: bytes[..<end])
    let limit = try check(found.request([]))
    guard found.bodyByteCount <= limit else {
      throw HTTPRefusal(413, "the body of the request is longer than \(limit) bytes")
    }
    bytes.removeFirst(end)
    scanned = 0
    head = found
    return found
  }

  /// Returns the index after the empty line that ends the head; nil if it has not arrived.
  private mutating func endOfHead() -> Int? {
    var index = max(3, scanned)
    while index < bytes.count {
      if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A,
        bytes[index - 3] == 0x0D
      {
        return index + 1
      }
      index += 1
    }
    scanned = bytes.count
    return nil
  }

  private static func head(of bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> Head {
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw HTTPRefusal(400, "the head of the request is not UTF-8")
    }
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
    let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[1].first == "/" else {
      throw HTTPRefusal(400, "the first line of the request is not \"METHOD /PATH HTTP/1.1\"")
    }
    guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      throw HTTPRefusal(505, "the version of the request is not HTTP/1.1")
    }
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        !line[..<colon].contains(where: \.isWhitespace)
      else { throw HTTPRefusal(400, "a header field of the request is not \"NAME: VALUE\"") }
      let name = line[..<colon].lowercased()
      let value = trimmed(line[line.index(after: colon)...])
      // Two values for one of these would be read differently by different programs.
      if headers[name] != nil, ["host", "origin", "content-length"].contains(name) {
        throw HTTPRefusal(400, "the request has two header fields \"\(name)\"")
      }
      headers[name] = value
    }
    guard headers["transfer-encoding"] == nil else {
      throw HTTPRefusal(501, "a body needs Content-Length; Transfer-Encoding is not supported")
    }
    let (path, query) = try target(words[1])
    return Head(
      method: String(words[0]), path: path, query: query, headers: headers,
      bodyByteCount: try bodyByteCount(headers["content-length"]))
  }

  private static func bodyByteCount(_ text: String?) throws(HTTPRefusal) -> Int {
    guard let text else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw HTTPRefusal(400, "Content-Length is not a number")
    }
    // A number that is too large for an integer is longer than every limit.
    return Int(text) ?? .max
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }

  private static func target(
    _ text: Substring
  ) throws(HTTPRefusal) -> (path: String, query: [String: String]) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var query: [String: String] = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[try decoded(sides[0])] = try decoded(sides.count > 1 ? sides[1] : "")
    }
    return (String(parts[0]), query)
  }

  /// Returns a part of a query without its percent encoding; `+` is a space.
  private static func decoded(_ text: Substring) throws(HTTPRefusal) -> String {
    var found: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): found.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexDigit),
          let low = rest.popFirst().flatMap(hexDigit)
        else { throw HTTPRefusal(400, "the query of the request has \"%\" without two hex digits") }
        found.append(high << 4 | low)
      default: found.append(byte)
      }
    }
    guard let text = String(validating: found, as: UTF8.self) else {
      throw HTTPRefusal(400, "the query of the request is not UTF-8")
    }
    return text
  }
}
