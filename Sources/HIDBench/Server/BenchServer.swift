// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDReportDescriptor
package import HIDSimulator
import HIDText
import Synchronization

/// The server of the bench: the page, the events of all devices, and the commands of the stream.
///
/// Paths, after the token: the page's files; `events`, the events as Server-Sent Events; `devices`
/// and `descriptor?device=LABEL`, what is there as JSON; `library`, the names of the shipped device
/// files; `commands`, to which commands are posted.
package final class BenchServer: Sendable {
  private let hub: DeviceHub
  private let options: Options
  private let others: OtherDevices
  private let server: HTTPServer
  private let access: BenchAccess

  /// The options of a server.
  package struct Options: Sendable {
    /// The port of 127.0.0.1; 0 for any free port.
    package var port: UInt16 = 0
    /// True to refuse commands.
    package var isReadOnly = false
    /// Reads the devices of a file; the client gets the error that it throws.
    package var readFile: @Sendable (String) throws -> [HIDDeviceDefinition]
    /// The names of the files of the library.
    package var library: @Sendable () -> [String]

    package init(
      readFile: @escaping @Sendable (String) throws -> [HIDDeviceDefinition],
      library: @escaping @Sendable () -> [String]
    ) {
      self.readFile = readFile
      self.library = library
    }
  }

  /// Starts to listen; requests are answered when ``run()`` is called.
  ///
  /// - Throws: `unavailable` if the port cannot be used.
  package init(_ hub: DeviceHub, _ options: Options) throws(HIDBusError) {
    self.hub = hub
    self.options = options
    others = OtherDevices { record in
      hub.devices.contains { device in device.records.contains { $0.id == record.id } }
    }
    let router = Router()
    server = try HTTPServer(port: options.port) { await router.answer($0) }
    access = BenchAccess(token: BenchAccess.makeToken(), port: server.port)
    hub.log.keepInput()
    router.server.withLock { $0 = WeakServer(self) }
  }

  /// The address of the page, with its token.
  package var link: String { "http://127.0.0.1:\(server.port)/\(access.token)/" }

  /// Answers requests until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.others.follow(self.hub.bus.clients) }
      await self.server.run()
      group.cancelAll()
    }
  }

  // MARK: Requests

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do throws(HTTPRefusal) {
      response = try await answer(request, at: access.path(of: request))
    } catch {
      response = HTTPResponse(error)
    }
    response.headers += BenchAccess.headers
    return response
  }

  private func answer(
    _ request: HTTPRequest, at path: String
  ) async throws(HTTPRefusal) -> HTTPResponse {
    let isPost = path == "commands"
    guard request.method == (isPost ? "POST" : "GET") else {
      throw HTTPRefusal(405, "/\(path) takes \(isPost ? "POST" : "GET") only")
    }
    switch path {
    case "commands": return try await carryOut(request.body)
    case "events":
      let last = request.headers["last-event-id"] ?? request.query["after"]
      return HTTPResponse(type: "text/event-stream") { [self] writer in
        await EventFeed(hub: hub, others: others, snapshot: { self.snapshot() })
          .write(to: writer, after: last)
      }
    case "devices": return json(snapshot())
    case "descriptor": return json(try descriptor(request.query))
    case "library":
      return json(JSONLine { $0.add("files", .array(options.library().map { .string($0) })) })
    default:
      guard let file = PageFile.named(path.isEmpty ? "index.html" : path) else {
        throw HTTPRefusal(404, "there is no /\(path) here")
      }
      return HTTPResponse(type: file.type, file.bytes)
    }
  }

  private func json(_ line: JSONLine) -> HTTPResponse {
    HTTPResponse(type: "application/json", line.utf8 + [0x0A])
  }

  /// Carries out commands of the stream, one after the other, and returns their results.
  ///
  /// The status is 422 if a command failed.
  private func carryOut(_ body: [UInt8]) async throws(HTTPRefusal) -> HTTPResponse {
    if options.isReadOnly {
      throw HTTPRefusal(403, "this bench was started with --read-only: it takes no commands")
    }
    let output = StreamOutput(
      hub.log, base: hub.base, events: StreamEvents(isOn: false), isFromNow: true)
    let connection = StreamConnection(
      hub, output: output, file: "request", readFile: options.readFile)
    let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
    continuation.yield(body)
    continuation.finish()
    await connection.run(chunks)
    output.end()
    var lines: [UInt8] = []
    while let more = await output.take() { lines += more }
    return HTTPResponse(
      connection.failureCount > 0 ? 422 : 200, type: "application/x-ndjson", lines)
  }

  // MARK: What is there

  /// Returns all devices with their values, and the bus.
  private func snapshot() -> JSONLine {
    let (others, problem) = others.all
    return JSONLine { line in
      line.add("event", "snapshot")
      line.add("protocol", .integer(StreamConnection.version))
      line.add("bus", .string("\(hub.bus.kind)"))
      line.add("readOnly", .bool(options.isReadOnly))
      line.add("devices", .array(hub.devices.map { .object(DeviceJSON.line($0)) }))
      line.add(
        "others",
        .array(
          others.map { record in .object { EventJSON.addRecord(record, to: &$0) } }))
      line.add("othersProblem", .optional(problem) { .string($0) })
    }
  }

  /// Returns the elements of the interface that a query names by `device`, its label or its ID.
  private func descriptor(_ query: [String: String]) throws(HTTPRefusal) -> JSONLine {
    guard let name = query["device"] else {
      throw HTTPRefusal(400, "add ?device=LABEL, or the ID of a device that is not simulated here")
    }
    for device in hub.devices {
      if let found = DeviceJSON.elements(ofInterface: name, of: device) { return found }
    }
    guard let id = HIDDeviceID(description: name), let record = others.device(id) else {
      throw HTTPRefusal(404, "there is no device \(quoted(name))")
    }
    do {
      return ElementJSON.text(of: try HIDReportDescriptor(parsing: record.descriptorBytes))
    } catch {
      throw HTTPRefusal(422, "the report descriptor of \(record.identity.name): \(error)")
    }
  }
}

extension BenchServer {
  /// The handler of the HTTP server, which is made before the bench's server.
  fileprivate final class Router: Sendable {
    let server = Mutex<WeakServer?>(nil)

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
      guard let server = server.withLock({ $0?.value }) else {
        return HTTPResponse(HTTPRefusal(503, "the bench has ended"))
      }
      return await server.answer(request)
    }
  }

  fileprivate struct WeakServer: Sendable {
    weak let value: BenchServer?
    init(_ value: BenchServer) { self.value = value }
  }
}
