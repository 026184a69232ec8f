// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBench
import HIDBus
import HIDSessions
import HIDSimulator
import InputStick
import Testing

/// A bench with its devices on a loopback bus of its own.
struct BenchFixture: Sendable {
  let hub: DeviceHub
  let server: BenchServer
  let bus: HIDBus

  /// The port of the server.
  var port: UInt16 { UInt16(server.link.split(separator: ":")[2].split(separator: "/")[0]) ?? 0 }
  /// The path of the page: `/TOKEN/`.
  var root: String { "/" + server.link.split(separator: "/")[2] + "/" }

  /// Runs a body with a bench, while its server answers.
  ///
  /// - Parameter names: The names of the devices; each is a keyboard with one byte for lamps.
  static func run(
    _ names: [String] = ["keys"], isReadOnly: Bool = false,
    _ body: @escaping @Sendable (BenchFixture) async throws -> Void
  ) async throws {
    try await HIDBus.isolated {
      let bus = try #require(HIDBus.current)
      let definitions = try names.map { name in
        let file = try HIDDeviceFile.parse(
          Array(Self.keyboard(name).utf8), name: "keys.json", loading: { _ in [] })
        return file
      }
      let hub = DeviceHub(definitions, on: bus, log: HIDEventLog())
      for device in hub.devices { try await device.plug(into: bus) }
      var options = BenchServer.Options(
        readFile: { _ in
          [
            try HIDDeviceFile.parse(
              Array(Self.keyboard("added").utf8), name: "added.json", loading: { _ in [] })
          ]
        }, library: { ["keyboard.json"] })
      options.isReadOnly = isReadOnly
      let server = try BenchServer(hub, options)
      let fixture = BenchFixture(hub: hub, server: server, bus: bus)
      let serving = Task { await server.run() }
      do {
        try await body(fixture)
      } catch {
        serving.cancel()
        await hub.unplugAll()
        throw error
      }
      serving.cancel()
      await serving.value
      await hub.unplugAll()
    }
  }

  private static func keyboard(_ name: String) -> String {
    """
    {
      "hidsim": 1, "name": \(quotedJSON(name)), "vendorID": "0x1209", "productID": 1,
      "reportDescriptor": [{"hex": "05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 95 06 75 08 25 65 19 00 29 65 81 00 05 08 19 01 29 05 25 01 95 05 75 01 91 02 95 01 75 03 91 01 c0"}]
    }
    """
  }

  private static func quotedJSON(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Connects to the server.
  func connect() async throws -> WebClient {
    WebClient(try await StickChannel.connected(to: .tcp(port)), port: port)
  }

  /// Sends one request, and returns the response.
  func request(
    _ path: String, _ method: String = "GET", headers: [String: String] = [:], body: String = ""
  ) async throws -> WebClient.Response {
    let client = try await connect()
    return try await client.request(method, root + path, headers: headers, body: body)
  }
}

/// A client of HTTP/1.1 for one connection.
final class WebClient {
  struct Response {
    let status: Int
    let headers: [String: String]
    let body: String
  }

  private let channel: StickChannel
  private var chunks: AsyncStream<[UInt8]>.Iterator
  private let port: UInt16
  private var text = ""

  init(_ channel: StickChannel, port: UInt16) {
    self.channel = channel
    self.port = port
    chunks = channel.chunks.makeAsyncIterator()
  }

  /// The error for a connection that ended before the awaited text.
  struct Ended: Error {
    let text: String
  }

  func send(_ text: String) { channel.send(Array(text.utf8)) }

  func close() { channel.close() }

  /// Returns the text up to a mark and removes it with the mark.
  func text(upTo mark: String) async throws -> String {
    while true {
      if let range = text.range(of: mark) {
        let found = String(text[..<range.lowerBound])
        text.removeSubrange(..<range.upperBound)
        return found
      }
      guard let chunk = await chunks.next(isolation: #isolation) else { throw Ended(text: text) }
      channel.takeMore()
      text += String(decoding: chunk, as: UTF8.self)
    }
  }

  /// Returns the text until the server ends the connection.
  func rest() async -> String {
    while let chunk = await chunks.next(isolation: #isolation) {
      channel.takeMore()
      text += String(decoding: chunk, as: UTF8.self)
    }
    return text
  }

  func begin(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String = ""
  ) async throws -> (status: Int, headers: [String: String]) {
    var fields = ["Host": "127.0.0.1:\(port)", "Content-Length": "\(body.utf8.count)"]
    fields.merge(headers) { $1 }
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    send("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)")
    let head = try await text(upTo: "\r\n\r\n").components(separatedBy: "\r\n")
    var found: [String: String] = [:]
    for line in head.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      found[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return (Int(head[0].split(separator: " ")[1]) ?? 0, found)
  }

  func request(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String = ""
  ) async throws -> Response {
    let (status, headers) = try await begin(method, path, headers: headers, body: body)
    let count = Int(headers["content-length"] ?? "") ?? 0
    while text.utf8.count < count {
      guard let chunk = await chunks.next(isolation: #isolation) else { throw Ended(text: text) }
      channel.takeMore()
      text += String(decoding: chunk, as: UTF8.self)
    }
    let end = text.utf8.index(text.startIndex, offsetBy: count)
    defer { text.removeSubrange(..<end) }
    return Response(status: status, headers: headers, body: String(text[..<end]))
  }

  /// Returns the next Server-Sent Event: its ID, and its JSON.
  func event() async throws -> (id: String, json: [String: Any], text: String) {
    while true {
      let message = try await text(upTo: "\n\n")
      var id = ""
      for line in message.split(separator: "\n") {
        if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
        if line.hasPrefix("data: ") {
          let text = String(line.dropFirst(6))
          let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
          return (id, json ?? [:], text)
        }
      }
    }
  }

  /// Returns the next Server-Sent Event of a kind.
  func event(_ kind: String) async throws -> (id: String, json: [String: Any], text: String) {
    while true {
      let found = try await event()
      if found.json["event"] as? String == kind { return found }
    }
  }
}
