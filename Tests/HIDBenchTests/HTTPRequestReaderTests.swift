// SPDX-License-Identifier: Apache-2.0

import HIDBench
import TestSupport
import Testing

@Suite("Requests of HTTP") struct HTTPRequestReaderTests {
  private static let post =
    "POST /t/commands?device=a%20b&x=%2B+y HTTP/1.1\r\nHost: 127.0.0.1:8123\r\n"
    + "Content-Length: 3\r\nX-Empty:\r\n\r\nabc"

  private func all(_ text: String, cutAt cut: Int? = nil) throws(HTTPRefusal) -> [HTTPRequest] {
    let bytes = Array(text.utf8)
    let end = cut ?? bytes.count
    var reader = HTTPRequestReader()
    var found: [HTTPRequest] = []
    for part in [bytes[..<end], bytes[end...]] {
      reader.append(part)
      while let request = try reader.next() { found.append(request) }
    }
    return found
  }

  private func refusal(_ text: String) -> Int? {
    do {
      _ = try all(text)
      return nil
    } catch {
      return error.status
    }
  }

  @Test("a request is read wherever its bytes are cut")
  func cuts() throws {
    for cut in 0...Self.post.utf8.count {
      let found = try all(Self.post + Self.post, cutAt: cut)
      #expect(found.count == 2)
      #expect(found.first == found.last)
    }
    let request = try #require(try all(Self.post).first)
    #expect(request.method == "POST")
    #expect(request.path == "/t/commands")
    #expect(request.query == ["device": "a b", "x": "+ y"])
    #expect(request.headers["host"] == "127.0.0.1:8123")
    #expect(request.headers["x-empty"] == "")
    #expect(request.body == Array("abc".utf8))
  }

  @Test(
    "a request that cannot be read is refused with its status",
    arguments: [
      ("GET /\r\n\r\n", 400), ("GET / HTTP/2\r\n\r\n", 505),
      ("GET http://a/ HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nOrigin: a\r\norigin: a\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 1 2\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
      ("GET /?a=%2 HTTP/1.1\r\n\r\n", 400), ("GET /?a=%+f HTTP/1.1\r\n\r\n", 400),
      ("GET /?a=%ff HTTP/1.1\r\n\r\n", 400),
    ] as [(String, Int)])
  func refusals(text: String, status: Int) { #expect(refusal(text) == status) }

  @Test("a head without an end is refused when it is too long")
  func longHeads() {
    let line = "X: " + String(repeating: "a", count: HTTPRequestReader.headLimit)
    #expect(refusal("GET / HTTP/1.1\r\n\(line)") == 431)
    #expect(refusal("GET / HTTP/1.1\r\n\(line)\r\n\r\n") == 431)
  }

  @Test("20,000 damaged requests are read or refused alike, wherever their bytes are cut")
  func damaged() {
    var chance = SplitMix64(seed: 7)
    let seeds = [
      Self.post, Self.post + Self.post, "GET /a?b=%c3%a4 HTTP/1.1\r\nHost: [::1]\r\n\r\n",
      "HEAD / HTTP/1.0\r\nConnection: close\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    ].map { Array($0.utf8) }
    for number in 0..<20_000 {
      let bytes = mutated(seeds[number % seeds.count], using: &chance)
      let whole = outcome(bytes, cutAt: bytes.count)
      let cut = Int.random(in: 0...bytes.count, using: &chance)
      #expect(outcome(bytes, cutAt: cut) == whole, "\(bytes)")
    }
  }

  /// Reads bytes in two parts; returns the requests, and the status of the refusal.
  private func outcome(_ bytes: [UInt8], cutAt cut: Int) -> [String] {
    var reader = HTTPRequestReader()
    var found: [String] = []
    for part in [bytes[..<cut], bytes[cut...]] {
      reader.append(part)
      do throws(HTTPRefusal) {
        while let request = try reader.next() { found.append("\(request)") }
      } catch {
        found.append("\(error.status)")
      }
    }
    // The order of a dictionary's elements differs.
    return found.map { String($0.sorted()) }
  }

  @Test("nothing is read after a refusal")
  func afterRefusal() throws {
    var reader = HTTPRequestReader()
    reader.append(Array("GET / HTTP/9\r\n\r\n".utf8))
    #expect(throws: HTTPRefusal.self) { try reader.next() }
    reader.append(Array(Self.post.utf8))
    #expect(try reader.next() == nil)
    #expect(!reader.isInsideRequest)
  }
}
