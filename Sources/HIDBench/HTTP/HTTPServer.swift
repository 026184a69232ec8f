// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import InputStick
import IOLoop
import Synchronization

/// A server of HTTP/1.1 on the loopback interface.
///
/// FlyingFox is not used: its 0.27.1 reads heads without a limit, and accepts connections without
/// a limit.
package final class HTTPServer: Sendable {
  /// Answers a request; its task is cancelled if the client disconnects.
  package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  /// The largest number of connections at a time.
  package static let connectionLimit = 64
  /// The time in which a request that has begun must arrive completely.
  private static let requestTime = Duration.seconds(10)

  private let listener: StickListener
  private let handler: Handler
  private let connectionCount = Atomic(0)

  /// Starts to listen; connections are served when ``run()`` is called.
  ///
  /// - Parameter port: The port of 127.0.0.1; 0 for any free port.
  /// - Throws: `unavailable`, with the reason.
  package init(port: UInt16, _ handler: @escaping Handler) throws(HIDBusError) {
    listener = try StickListener.open(.tcp(port))
    self.handler = handler
  }

  /// The port at which the server listens.
  package var port: UInt16 {
    if case .tcp(let port) = listener.endpoint { port } else { 0 }
  }

  /// Serves clients until the task is cancelled, and then disconnects them.
  package func run() async {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        for await channel in listener.connections {
          let count = connectionCount.add(1, ordering: .relaxed).newValue
          guard count <= Self.connectionLimit else {
            connectionCount.subtract(1, ordering: .relaxed)
            let refusal = HTTPRefusal(
              503, "\(Self.connectionLimit) connections are open, which is the limit")
            let response = HTTPResponse(refusal)
            channel.send(response.head(isLast: true) + Array("\(refusal.message)\n".utf8))
            channel.close()
            continue
          }
          group.addTask {
            await HTTPConnection(channel).serve(self.handler)
            self.connectionCount.subtract(1, ordering: .relaxed)
          }
        }
        group.cancelAll()
      }
    } onCancel: {
      listener.close()
    }
  }

  /// One connection: its requests are answered one after the other.
  private final class HTTPConnection: Sendable {
    /// The largest number of requests that wait for the answer to an earlier one.
    private static let pipelineLimit = 16

    private let channel: StickChannel
    private let requests: AsyncStream<Result<HTTPRequest, HTTPRefusal>>
    private let continuation: AsyncStream<Result<HTTPRequest, HTTPRefusal>>.Continuation
    private let state = Mutex(State())

    private struct State: Sendable {
      var reader = HTTPRequestReader()
      /// The number of requests that are not answered.
      var waiting = 0
      /// True while the channel does not read, because too many requests wait.
      var isPaused = false
      /// The timer of the request whose first part has arrived.
      var timer: DeadlineID?
    }

    init(_ channel: StickChannel) {
      self.channel = channel
      (requests, continuation) = AsyncStream.makeStream()
    }

    /// Serves the connection until the client disconnects or the task is cancelled.
    func serve(_ handler: @escaping Handler) async {
      let serving = Task {
        for await request in requests {
          guard await answer(request, handler), !Task.isCancelled else { break }
          resumeReading()
        }
        channel.close()
      }
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
      if let timer = state.withLock({ $0.timer.take() }) { Timeline.real.cancel(timer) }
    }

    private func take(_ bytes: [UInt8]) {
      var found: [Result<HTTPRequest, HTTPRefusal>] = []
      let (readsOn, isInside, timer) = state.withLock { state -> (Bool, Bool, DeadlineID?) in
        state.reader.append(bytes)
        do throws(HTTPRefusal) {
          while let request = try state.reader.next() { found.append(.success(request)) }
        } catch {
          found.append(.failure(error))
        }
        state.waiting += found.count
        state.isPaused = state.waiting >= Self.pipelineLimit
        let isInside = state.reader.isInsideRequest
        let timer = found.isEmpty && isInside ? nil : state.timer.take()
        return (!state.isPaused, isInside && state.timer == nil, timer)
      }
      if let timer { Timeline.real.cancel(timer) }
      if isInside { startTimer() }
      for request in found { continuation.yield(request) }
      if readsOn { channel.takeMore() }
    }

    /// Ends the connection if the request that has begun does not arrive in time.
    private func startTimer() {
      let timer = Timeline.real.schedule(at: .now.advanced(by: HTTPServer.requestTime)) {
        [weak self] in
        guard let self else { return }
        let isLate = state.withLock { state in
          state.timer = nil
          return state.reader.isInsideRequest && !state.isPaused
        }
        guard isLate else { return }
        continuation.yield(
          .failure(HTTPRefusal(408, "the request did not arrive completely within 10 s")))
      }
      state.withLock { $0.timer = timer }
    }

    /// Reads on, after an answer, if the reading had paused.
    private func resumeReading() {
      let readsOn = state.withLock { state in
        state.waiting -= 1
        defer { state.isPaused = state.isPaused && state.waiting >= Self.pipelineLimit }
        return state.isPaused && state.waiting < Self.pipelineLimit
      }
      if readsOn { channel.takeMore() }
    }

    /// Answers a request; returns false if the connection ends after the answer.
    private func answer(
      _ request: Result<HTTPRequest, HTTPRefusal>, _ handler: Handler
    ) async -> Bool {
      let response: HTTPResponse
      var isLast = true
      switch request {
      case .failure(let refusal): response = HTTPResponse(refusal)
      case .success(let request):
        response = await handler(request)
        isLast = request.headers["connection"]?.lowercased() == "close"
      }
      switch response.body {
      case .bytes(let bytes):
        let writer = HTTPBodyWriter(channel)
        guard await writer.write(response.head(isLast: isLast)), await writer.write(bytes) else {
          return false
        }
        return !isLast
      case .stream(let write):
        let writer = HTTPBodyWriter(channel)
        if await writer.write(response.head(isLast: true)) { await write(writer) }
        return false
      }
    }
  }
}

/// The writer of a response's content.
package struct HTTPBodyWriter: Sendable {
  /// The largest number of bytes that are given to the channel at a time.
  private static let pieceByteCount = 64 << 10
  private let channel: StickChannel

  init(_ channel: StickChannel) { self.channel = channel }

  /// Writes bytes, and waits until the system has taken them.
  ///
  /// - Returns: False if the client has disconnected, or the task was cancelled.
  @discardableResult
  package func write(_ bytes: [UInt8]) async -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard !Task.isCancelled, !channel.isClosed else { return false }
      channel.send(Array(rest.prefix(Self.pieceByteCount)))
      rest = rest.dropFirst(Self.pieceByteCount)
      await channel.flush()
    }
    return !Task.isCancelled
  }
}
