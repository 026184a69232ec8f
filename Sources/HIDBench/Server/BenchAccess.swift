// SPDX-License-Identifier: Apache-2.0

import HIDText
import InputStick

/// The rule that admits requests of the bench's page and of programs that know the link, and
/// refuses those of other pages.
struct BenchAccess: Sendable {
  /// The secret first part of every path: 32 hex digits.
  let token: String
  /// The port of the server.
  let port: UInt16

  /// Returns the path of a request after the token, such as `commands`; empty for the page itself.
  ///
  /// - Throws: The refusal of a request of another page, for another host, or without the token.
  func path(of request: HTTPRequest) throws(HTTPRefusal) -> String {
    // A page of another site can reach this port under a name of its own (DNS rebinding).
    // Browsers leave port 80 out.
    let hosts = ["127.0.0.1", "localhost"].flatMap { host in
      port == 80 ? [host, "\(host):80"] : ["\(host):\(port)"]
    }
    guard let host = request.headers["host"], hosts.contains(host) else {
      throw HTTPRefusal(403, "the header field Host is not \(hosts[0])")
    }
    if let origin = request.headers["origin"], origin != "http://\(host)" {
      throw HTTPRefusal(403, "the request is from another page: its Origin is not http://\(host)")
    }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      throw HTTPRefusal(
        403, "the request is from another page: Sec-Fetch-Site is \(site.prefix(20))")
    }
    let parts = request.path.split(
      separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, isToken(parts[1]) else {
      throw HTTPRefusal(
        404, "there is no such path; open the link that hidsim bench has printed")
    }
    // The printed link ends with a slash, and people add another one.
    return String(parts[2].drop { $0 == "/" })
  }

  /// Returns whether a text is the token.
  ///
  /// All bytes are compared, so that the time does not show how many of them are right.
  private func isToken(_ text: Substring) -> Bool {
    guard text.utf8.count == token.utf8.count else { return false }
    return zip(text.utf8, token.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Returns a new token: 128 random bits.
  static func makeToken() -> String {
    hexText([UInt8].random(count: 16)).filter { $0 != " " }
  }

  /// The header fields of every response.
  ///
  /// The browser runs no script but the page's own, sends nothing to other hosts, and shows the
  /// page in no other page.
  static let headers: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
  ]
}
