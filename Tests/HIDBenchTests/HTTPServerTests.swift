// SPDX-License-Identifier: Apache-2.0

import HIDBench
import InputStick
import Testing

@Suite("The HTTP server", .timeLimit(.minutes(1))) struct HTTPServerTests {
  /// Runs a body with a server.
  private func run(
    _ rules: HTTPServer.Rules = HTTPServer.Rules(), _ handler: @escaping HTTPServer.Handler,
    _ body: (_ connect: () async throws -> WebClient) async throws -> Void
  ) async throws {
    let server = try HTTPServer(port: 0)
    let serving = Task { await server.run(rules, handler) }
    do {
      try await body {
        WebClient(try await StickChannel.connected(to: .tcp(server.port)), port: server.port)
      }
    } catch {
      serving.cancel()
      throw error
    }
    serving.cancel()
    await serving.value
  }

  private static let hello: HTTPServer.Handler = { _ in
    HTTPResponse(type: "text/plain", Array("hello".utf8))
  }

  @Test("a request that does not arrive completely is answered by 408, and the connection ends")
  func late() async throws {
    var rules = HTTPServer.Rules()
    rules.requestTime = .zero
    try await run(rules, Self.hello) { connect in
      let client = try await connect()
      client.send("GET / HTTP/1.1\r\n")
      #expect(await client.rest().hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test("a connection without a request ends")
  func idle() async throws {
    var rules = HTTPServer.Rules()
    rules.idleTime = .zero
    try await run(rules, Self.hello) { connect in
      let client = try await connect()
      #expect(await client.rest() == "")
    }
  }

  @Test("a request is refused by its head, before its body has arrived")
  func heads() async throws {
    var rules = HTTPServer.Rules()
    rules.check = { request throws(HTTPRefusal) in
      if request.path != "/right" { throw HTTPRefusal(404, "no") }
      return HTTPRequestReader.bodyLimit
    }
    rules.headers = [("X-Test", "yes")]
    try await run(rules, Self.hello) { connect in
      let client = try await connect()
      client.send("POST /wrong HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n")
      let answer = await client.rest()
      #expect(answer.hasPrefix("HTTP/1.1 404 "))
      #expect(answer.contains("X-Test: yes\r\n"))
      let other = try await connect()
      #expect(try await other.request("POST", "/right", body: "abc").body == "hello")
    }
  }

  @Test("the handler of a client that leaves is cancelled")
  func leaving() async throws {
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let (cancelled, cancel) = AsyncStream<Void>.makeStream()
    try await run { _ in
      begin.yield()
      let (never, continuation) = AsyncStream<Void>.makeStream()
      await withTaskCancellationHandler {
        for await _ in never {}
      } onCancel: {
        cancel.yield()
        continuation.finish()
      }
      return HTTPResponse(type: "text/plain", [])
    } _: { connect in
      let client = try await connect()
      // Further requests wait behind the first one.
      client.send(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 4))
      for await _ in begun { break }
      client.close()
      for await _ in cancelled { break }
    }
  }

  @Test("requests that wait for an earlier one are limited")
  func pipeline() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    try await run { _ in
      for await _ in gate {}
      return HTTPResponse(type: "text/plain", Array("hello".utf8))
    } _: { connect in
      let client = try await connect()
      client.send(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 40))
      open.finish()
      let answers = await client.rest()
      let found = answers.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
      #expect(found.last == "503")
      #expect(found.dropLast().allSatisfy { $0 == "200" })
    }
  }

  @Test("Connection: close and HEAD are kept to")
  func ends() async throws {
    try await run(HTTPServer.Rules(), Self.hello) { connect in
      let client = try await connect()
      client.send("HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: keep-alive, close\r\n\r\n")
      let answers = await client.rest()
      #expect(answers.ranges(of: "hello").count == 1)
      #expect(answers.hasSuffix("\r\n\r\nhello"))
    }
  }
}
