// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import InputStick
import IOLoop
import Synchronization

/// A server of HTTP/1.1 on the loopback interface.
///
/// FlyingFox is not used: its version 0.27.1 reads heads without a limit, and accepts connections
/// without a limit.
package final class HTTPServer: Sendable {
  /// Answers a request; its task is cancelled if the client disconnects.
  package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  /// The rules of a server.
  package struct Rules: Sendable {
    /// Checks the head of a request before its body is read: throws its refusal, or returns the
    /// longest body that it may have, in bytes.
    package var check: @Sendable (HTTPRequest) throws(HTTPRefusal) -> Int = { _ in
      HTTPRequestReader.bodyLimit
    }
    /// The header fields of every response.
    package var headers: [(name: String, value: String)] = []
    /// The time in which a request that has begun must arrive completely; else the server answers
    /// with status 408.
    package var requestTime = Duration.seconds(10)
    /// The time after which a connection without a request ends.
    package var idleTime = Duration.seconds(60)
    /// The time in which the system must take each 64 KiB that are sent to a client.
    package var writeTime = Duration.seconds(30)

    package init() {}
  }

  /// The largest number of connections at a time; the server answers further ones with status 503.
  package static let connectionLimit = 64

  private let listener: StickListener
  private let connectionCount = Atomic(0)

  /// Starts to listen; connections are served when ``run(_:_:)`` is called.
  ///
  /// - Parameter port: The port of 127.0.0.1; 0 for any free port.
  /// - Throws: `unavailable`, with the reason.
  package init(port: UInt16) throws(HIDBusError) {
    listener = try StickListener.open(.tcp(port))
  }

  /// The port at which the server listens.
  package var port: UInt16 {
    if case .tcp(let port) = listener.endpoint { port } else { 0 }
  }

  /// Serves clients until the task is cancelled, and then disconnects them.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - handler: Answers the requests that the rules admit.
  package func run(_ rules: Rules, _ handler: @escaping Handler) async {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        for await channel in listener.connections {
          let isSurplus =
            connectionCount.add(1, ordering: .relaxed).newValue > Self.connectionLimit
          group.addTask {
            let connection = HTTPConnection(channel, rules)
            if isSurplus {
              await connection.refuse(
                HTTPRefusal(
                  503, "\(Self.connectionLimit) connections are open, which is the limit"))
            } else {
              await connection.serve(handler)
            }
            self.connectionCount.subtract(1, ordering: .relaxed)
          }
        }
        group.cancelAll()
      }
    } onCancel: {
      listener.close()
    }
  }
}

/// One connection: its requests are answered one after the other.
private final class HTTPConnection: Sendable {
  /// The largest number of requests without an answer, including the one that is being answered.
  private static let waitingLimit = 16
  /// The largest number of bytes in the bodies of those requests, if they are more than one.
  private static let waitingByteLimit = 2 << 20

  private let channel: StickChannel
  private let rules: HTTPServer.Rules
  private let requests: AsyncStream<Result<HTTPRequest, HTTPRefusal>>
  private let continuation: AsyncStream<Result<HTTPRequest, HTTPRefusal>>.Continuation
  private let state = Mutex(State())

  private struct State: Sendable {
    var reader = HTTPRequestReader()
    /// The number of requests that are not answered, and of the bytes in their bodies.
    var waiting = (count: 0, bytes: 0)
    /// The timer of the request that has begun, or of a connection without a request; nil if none
    /// runs.
    var timer: (id: DeadlineID, isOfRequest: Bool)?
  }

  init(_ channel: StickChannel, _ rules: HTTPServer.Rules) {
    self.channel = channel
    self.rules = rules
    (requests, continuation) = AsyncStream.makeStream()
  }

  /// Serves the connection until it is closed by either side, or the task is cancelled.
  func serve(_ handler: @escaping HTTPServer.Handler) async {
    let serving = Task {
      for await request in requests {
        guard await answer(request, handler), !Task.isCancelled else { break }
        finish(request)
      }
      channel.close()
    }
    startTimer()
    channel.receive { [weak self] event in
      switch event {
      case .bytes(let bytes): self?.take(bytes)
      case .end:
        self?.continuation.finish()
        serving.cancel()
      }
    }
    await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      serving.cancel()
      channel.close()
    }
    stopTimer()
  }

  /// Answers the first request of the connection by a refusal.
  func refuse(_ refusal: HTTPRefusal) async {
    await serve { _ in
      var response = HTTPResponse(refusal)
      response.isLast = true
      return response
    }
  }

  /// Takes bytes of the client.
  ///
  /// The channel reads on at once, so that it notices when the client leaves.
  private func take(_ bytes: [UInt8]) {
    var found: [Result<HTTPRequest, HTTPRefusal>] = []
    state.withLock { state in
      state.reader.append(bytes)
      do throws(HTTPRefusal) {
        while let request = try state.reader.next(rules.check) {
          state.waiting.count += 1
          state.waiting.bytes += request.body.count
          guard state.waiting.count <= Self.waitingLimit,
            state.waiting.count == 1 || state.waiting.bytes <= Self.waitingByteLimit
          else { throw HTTPRefusal(503, "too many requests wait for an answer") }
          found.append(.success(request))
        }
      } catch {
        found.append(.failure(error))
      }
    }
    startTimer()
    for request in found { continuation.yield(request) }
    if case .failure? = found.last { return }  // no further request is read
    channel.takeMore()
  }

  /// Notes that a request is answered.
  private func finish(_ request: Result<HTTPRequest, HTTPRefusal>) {
    guard case .success(let request) = request else { return }
    state.withLock { state in
      state.waiting.count -= 1
      state.waiting.bytes -= request.body.count
    }
    startTimer()
  }

  /// Sets the time limit of a connection that waits for its client.
  ///
  /// A request that has begun keeps its limit, and a connection whose request is being answered has
  /// none.
  private func startTimer() {
    state.withLock { state in
      let isInside = state.reader.isInsideRequest
      if isInside, state.timer?.isOfRequest == true { return }
      if let timer = state.timer.take() { Timeline.real.cancel(timer.id) }
      guard isInside || state.waiting.count == 0 else { return }
      let time = isInside ? rules.requestTime : rules.idleTime
      let id = Timeline.real.schedule(at: .now.advanced(by: time)) { [weak self] in
        guard let self else { return }
        guard isInside else { return channel.close() }
        continuation.yield(
          .failure(HTTPRefusal(408, "the request did not arrive completely in time")))
      }
      state.timer = (id, isInside)
    }
  }

  private func stopTimer() {
    if let timer = state.withLock({ $0.timer.take() }) { Timeline.real.cancel(timer.id) }
  }

  /// Answers a request; returns false if the connection ends after the answer.
  private func answer(
    _ request: Result<HTTPRequest, HTTPRefusal>, _ handler: HTTPServer.Handler
  ) async -> Bool {
    var response: HTTPResponse
    var hasBody = true
    switch request {
    case .failure(let refusal):
      response = HTTPResponse(refusal)
      response.isLast = true
    case .success(let request):
      response = await handler(request)
      hasBody = request.method != "HEAD"
      let words = request.headers["connection"]?.lowercased().split(separator: ",") ?? []
      if words.contains(where: { $0.filter { $0 != " " } == "close" }) { response.isLast = true }
    }
    response.headers += rules.headers
    let writer = HTTPBodyWriter(channel, within: rules.writeTime)
    guard await writer.write(response.head) else { return false }
    switch response.body {
    case .bytes(let bytes):
      if hasBody, await !writer.write(bytes) { return false }
      return !response.isLast
    case .stream(let write):
      if hasBody { await write(writer) }
      return false
    }
  }
}

/// The writer of a response's content.
package struct HTTPBodyWriter: Sendable {
  /// The largest number of bytes that are given to the channel at a time.
  private static let pieceByteCount = 64 << 10
  private let channel: StickChannel
  private let time: Duration

  init(_ channel: StickChannel, within time: Duration) {
    self.channel = channel
    self.time = time
  }

  /// Writes bytes, and waits until the system has taken them.
  ///
  /// If the system does not take 64 KiB in the time of the server's rules, the client is
  /// disconnected.
  ///
  /// - Returns: False if the client is disconnected, or the task was cancelled.
  @discardableResult
  package func write(_ bytes: [UInt8]) async -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard !Task.isCancelled, !channel.isClosed else { return false }
      channel.send(Array(rest.prefix(Self.pieceByteCount)))
      rest = rest.dropFirst(Self.pieceByteCount)
      guard channel.isWaiting else { continue }
      // A full socket reports room only when the client has read about a third of the send buffer:
      // 1 MiB of 4 MiB (Linux 6.18). All that waits here then fits, so that there is no earlier
      // progress by which to extend the time.
      let timer = Timeline.real.schedule(at: .now.advanced(by: time)) { channel.close() }
      await channel.flush()
      Timeline.real.cancel(timer)
    }
    return !Task.isCancelled && !channel.isClosed
  }
}
