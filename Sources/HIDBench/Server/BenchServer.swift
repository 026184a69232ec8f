// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDReportDescriptor
package import HIDSessions
package import HIDSimulator
import HIDText
import Synchronization

/// The server of the bench: the page, the events of all devices, and the commands of the stream.
///
/// The paths after the token are the page's files, and those that the page "The bench" lists.
package final class BenchServer: Sendable {
  private let hub: DeviceHub
  private let options: Options
  private let others: OtherDevices
  private let server: HTTPServer
  private let access: BenchAccess
  /// True while a trace is read: each one takes many times its size in memory.
  private let largeRequest = Atomic(false)
  /// The devices whose files are known.
  private let files: [(device: SimulatedDevice, file: String)]

  /// The options of a server.
  package struct Options: Sendable {
    /// The port of 127.0.0.1; 0 for any free port.
    package var port: UInt16 = 0
    /// The names of the files of the hub's devices, in their order.
    package var files: [String] = []
    /// True to refuse commands, and reports to devices that are not simulated.
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
  /// The log of the run keeps input reports from then on. The server also becomes the hub's only
  /// observer of changes.
  ///
  /// - Throws: `unavailable` if the port cannot be used.
  package init(_ hub: DeviceHub, _ options: Options) throws(HIDBusError) {
    self.hub = hub
    self.options = options
    files = Array(zip(hub.devices, options.files))
    others = OtherDevices { record in
      hub.devices.contains { device in device.records.contains { $0.id == record.id } }
    }
    server = try HTTPServer(port: options.port)
    access = BenchAccess(token: BenchAccess.makeToken(), port: server.port)
    hub.log.keepInput()
    hub.whenChanged { [weak others] in others?.noteSimulatedDevices() }
  }

  /// The address of the page, with its token.
  package var link: String { "http://127.0.0.1:\(server.port)/\(access.token)/" }

  /// Answers requests until the task is cancelled.
  package func run() async {
    var rules = HTTPServer.Rules()
    rules.check = { [access] request throws(HTTPRefusal) in
      let path = try access.path(of: request)
      return TraceRequest.paths.contains(path)
        ? TraceRequest.bodyLimit : HTTPRequestReader.bodyLimit
    }
    rules.headers = BenchAccess.headers
    await withDiscardingTaskGroup { [rules] group in
      group.addTask { await self.others.follow(self.hub.bus.clients) }
      await self.server.run(rules) { await self.answer($0) }
      group.cancelAll()
    }
  }

  // MARK: Requests

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(HTTPRefusal) {
      return try await answer(request, at: access.path(of: request))
    } catch {
      return HTTPResponse(error)
    }
  }

  private func answer(
    _ request: HTTPRequest, at path: String
  ) async throws(HTTPRefusal) -> HTTPResponse {
    let methods =
      switch path {
      case "commands", "lint", "trace", "compare": ["POST"]
      case "report": ["GET", "POST"]
      default: ["GET"]
      }
    guard methods.contains(request.method) else {
      throw HTTPRefusal(405, "/\(path) takes \(methods.joined(separator: " and ")) only")
    }
    if path == "commands" || path == "report", request.method == "POST", options.isReadOnly {
      throw HTTPRefusal(403, "this bench was started with --read-only: it takes no commands")
    }
    switch path {
    case "commands": return await carryOut(request.body)
    case "reports":
      let port = try otherPort(request.query)
      return HTTPResponse { await port.writeReports(to: $0) }
    case "report": return try await report(request)
    case "events":
      let last = request.headers["last-event-id"] ?? request.query["after"]
      return HTTPResponse { [self] writer in
        await EventFeed(hub: hub, others: others, snapshot: { self.snapshot() })
          .write(to: writer, after: last)
      }
    case "devices": return json(snapshot())
    case "descriptor": return json(try descriptor(request.query))
    case "definition": return try definition(request.query)
    case "link": return json(try await link(request.query))
    case "usb": return json(try await usb(request.query))
    case "lint": return json(DescriptorJSON.line(of: request.body))
    case "trace", "compare":
      guard
        largeRequest.compareExchange(
          expected: false, desired: true, ordering: .acquiring
        ).exchanged
      else {
        throw HTTPRefusal(503, "another trace is being read; try again when it is")
      }
      defer { largeRequest.store(false, ordering: .releasing) }
      return json(try await TraceRequest(request).answer(isComparison: path == "compare"))
    case "layouts": return json(LayoutJSON.all)
    case "layout": return json(try LayoutJSON.line(code: request.query["code"]))
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

  /// Carries out the commands of a request, as `hidsim drive` does, and returns their results.
  ///
  /// The status is 422 if a command failed, or if results were left out.
  private func carryOut(_ body: [UInt8]) async -> HTTPResponse {
    let output = StreamOutput(
      hub.log, base: hub.base, events: StreamEvents(isOn: false), isFromNow: true)
    let connection = StreamConnection(
      hub, output: output, file: "request", readFile: options.readFile)
    let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
    continuation.yield(body)
    continuation.finish()
    // The results are taken while the commands run: the output drops results that are not taken.
    async let results = results(of: output)
    await connection.run(chunks)
    output.end()
    let (lines, isWhole) = await results
    return HTTPResponse(
      connection.failureCount > 0 || !isWhole ? 422 : 200, type: "application/x-ndjson", lines)
  }

  /// Returns the lines of an output up to its end, and whether they are all.
  private func results(of output: StreamOutput) async -> (lines: [UInt8], isWhole: Bool) {
    var lines: [UInt8] = []
    var isWhole = true
    while let more = await output.take() {
      if lines.count + more.count > Self.resultLimit { isWhole = false }
      if isWhole { lines += more }
    }
    if !isWhole {
      let line = JSONLine { line in
        line.add(
          "error",
          .string(
            "the results are longer than \(Self.resultLimit) bytes; later ones are left out"))
      }
      lines += line.utf8 + [0x0A]
    }
    return (lines, isWhole)
  }

  /// The largest number of bytes in the results of one request.
  private static let resultLimit = 16 << 20

  // MARK: Other devices

  /// Returns the device with an ID; nil if it is not there, or simulated here.
  private func otherDevice(_ id: String) -> HIDDeviceRecord? {
    HIDDeviceID(description: id).flatMap(others.device)
  }

  /// Returns the device that a query names by its ID.
  ///
  /// - Throws: A refusal if there is no such device, or if the bench simulates it.
  private func otherPort(_ query: [String: String]) throws(HTTPRefusal) -> OtherPort {
    let name = query["device"] ?? ""
    guard let record = otherDevice(name) else {
      throw HTTPRefusal(404, "there is no device \(quoted(name)) that is not simulated here")
    }
    return OtherPort(record: record, catalog: hub.bus.clients, base: hub.base)
  }

  /// Reads or sets the report that a query names by `type` and `id`.
  ///
  /// - Throws: A refusal of the query, or the one of the device.
  private func report(_ request: HTTPRequest) async throws(HTTPRefusal) -> HTTPResponse {
    let port = try otherPort(request.query)
    let type = HIDReportType.allCases.first { "\($0)" == request.query["type"] }
    guard let type else {
      throw HTTPRefusal(400, "add &type=input, output or feature")
    }
    var id: HIDReportID?
    if let text = request.query["id"] {
      guard let number = NumberText.integer(text, as: UInt8.self),
        let found = HIDReportID(rawValue: number)
      else {
        throw HTTPRefusal(400, "the ID \(quoted(text)) is not a number from 1 to 255")
      }
      id = found
    }
    guard request.method == "POST" else { return json(try await port.read(type, id)) }
    try await port.send(type, (id.map { [$0.rawValue] } ?? []) + request.body)
    return json(JSONLine())
  }

  // MARK: What is there

  /// Returns all devices with their values, and the bus.
  private func snapshot() -> JSONLine {
    // The number is read first: later events may be in the values already.
    let number = hub.log.endIndex
    let (others, problem) = others.all
    return JSONLine { line in
      line.add("event", "snapshot")
      line.add("number", .integer(number))
      line.add("protocol", .integer(StreamConnection.version))
      line.add("bus", .string("\(hub.bus.kind)"))
      line.add("readOnly", .bool(options.isReadOnly))
      line.add(
        "devices",
        .array(
          hub.devices.map { device in
            let file = files.first { $0.device === device }?.file
            return .object(DeviceJSON.line(device, file: file))
          }))
      line.add(
        "others",
        .array(
          others.map { record in .object { EventJSON.addRecord(record, to: &$0) } }))
      line.add("othersProblem", .optional(problem) { .string($0) })
    }
  }

  /// Returns the elements of the interface that a query names by `device`, its label or its ID.
  ///
  /// - Throws: A refusal if there is no such device, or if its report descriptor is not valid.
  private func descriptor(_ query: [String: String]) throws(HTTPRefusal) -> JSONLine {
    guard let name = query["device"] else {
      throw HTTPRefusal(400, "add ?device=LABEL, or the ID of a device that is not simulated here")
    }
    for device in hub.devices {
      if let found = DeviceJSON.elements(ofInterface: name, of: device) { return found }
    }
    guard let record = otherDevice(name) else {
      throw HTTPRefusal(404, "there is no device \(quoted(name))")
    }
    do {
      return ElementJSON.text(of: try HIDReportDescriptor(parsing: record.descriptorBytes))
    } catch {
      throw HTTPRefusal(422, "the report descriptor of \(record.identity.name): \(error)")
    }
  }

  /// Returns the device file of a device that a query names by its label or its ID.
  ///
  /// - Throws: A refusal if there is no such device, or if no device file can be made of it.
  private func definition(_ query: [String: String]) throws(HTTPRefusal) -> HTTPResponse {
    let name = query["device"] ?? ""
    let found = hub.devices.first { device in
      device.label == name || DeviceJSON.elements(ofInterface: name, of: device) != nil
    }
    if let found {
      return HTTPResponse(type: "application/json", HIDDeviceFile.write(found.definition))
    }
    guard let record = otherDevice(name) else {
      throw HTTPRefusal(404, "there is no device \(quoted(name))")
    }
    do throws(HIDBusError) {
      let definition = try HIDDeviceDefinition(of: record.interfaces(among: others.all.devices))
      return HTTPResponse(type: "application/json", HIDDeviceFile.write(definition))
    } catch {
      throw HTTPRefusal(422, error.message)
    }
  }

  /// Returns the state of the command link of a device that a query names by its label.
  ///
  /// - Throws: A refusal if there is no such device with a command link.
  private func link(_ query: [String: String]) async throws(HTTPRefusal) -> JSONLine {
    let name = query["device"] ?? ""
    guard let link = hub.devices.first(where: { $0.label == name })?.link else {
      throw HTTPRefusal(404, "there is no device \(quoted(name)) with a command link")
    }
    let state = await link.state()
    return JSONLine { line in
      line.add("link", .string(link.place))
      line.add("name", .string(link.name))
      line.add("connected", .bool(state.isConnected))
      line.add(
        "buffers",
        .array(
          state.buffers.map { buffer in
            .object { line in
              line.add("name", .string(buffer.name))
              line.add("count", .integer(buffer.count))
              line.add("capacity", .integer(buffer.capacity))
            }
          }))
    }
  }

  /// Returns the state of the USB device that a query names by its label.
  ///
  /// - Throws: A refusal if there is no such device, or if the devices are on another bus.
  private func usb(_ query: [String: String]) async throws(HTTPRefusal) -> JSONLine {
    let name = query["device"] ?? ""
    guard let device = hub.devices.first(where: { $0.label == name }) else {
      throw HTTPRefusal(404, "there is no device \(quoted(name))")
    }
    guard hub.bus.kind == .usb else {
      throw HTTPRefusal(404, "the device \(quoted(name)) is not on the USB bus")
    }
    return USBStateJSON.line(await device.usbState, labels: device.interfaceLabels)
  }
}
