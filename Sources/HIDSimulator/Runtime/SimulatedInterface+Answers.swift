// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// What is done about events of the host, and when a timer has run.
extension SimulatedInterface {
  /// How many replies wait at most; what the host asks for beyond that is lost, and counted.
  static let replyCapacity = 4096

  /// On the timeline's loop.
  func tick(_ behaviour: Int, _ port: any HIDPeripheralPort) {
    let effects = state.withLock { state -> [HIDInterfaceModel.Effect] in
      guard state.port === port else { return [] }
      return state.model.tick(behaviour, at: timeline.now)
    }
    for effect in effects { perform(effect, port, for: .own) }
  }

  /// On the port's loop, or the timeline's.
  ///
  /// - Parameter purpose: What input reports are sent for.
  func perform(
    _ effect: HIDInterfaceModel.Effect, _ port: any HIDPeripheralPort, for purpose: Purpose
  ) {
    switch effect {
    // Told before it is sent: the host may have gone on, and ended the run, before we are back.
    case .answerGet(let request, let report, .zero):
      answered(request, report, port)
      port.answerGet(request, report)
    case .answerSet(let request, let accepted, .zero):
      answered(request, accepted ? [] : nil, port)
      port.answerSet(request, accepted: accepted)
    case .answerGet(let request, let report, let delay):
      putOff(delay, request, port) { [weak self] in
        self?.answered(request, report, port)
        port.answerGet(request, report)
      }
    case .answerSet(let request, let accepted, let delay):
      putOff(delay, request, port) { [weak self] in
        self?.answered(request, accepted ? [] : nil, port)
        port.answerSet(request, accepted: accepted)
      }
    case .sendInput(let report, let delay): reply(.report(report), delay, port, purpose)
    case .sendPresentInput(let id, let delay): reply(.present(id), delay, port, purpose)
    case .sendSetting(let values, let press, let isLast):
      reply(.setting(values, of: press, isLast: isLast), .zero, port, purpose)
    case .detach(let pause, let delay):
      timeline.schedule(at: timeline.now.advanced(by: delay)) { [weak self] in
        self?.detach(pause, port)
      }
    }
  }

  func detach(_ pause: Duration?, _ port: any HIDPeripheralPort) {
    state.withLock { $0.port === port ? $0.device : nil }?.detach(pause: pause)
  }

  /// How long a host waits for an answer at most: as both buses have it.
  static let answerBound = Duration.seconds(5)

  /// Answers a request later; time goes on for a host that waits for it.
  ///
  /// - Parameter delay: How much later; `nil` for never.
  func putOff(
    _ delay: Duration?, _ request: HIDRequestID, _ port: any HIDPeripheralPort,
    _ answer: @escaping @Sendable () -> Void
  ) {
    let flights = state.withLock { $0.flights }
    let resume = flights.reduce(nil as (@Sendable () -> Void)?) { $0 ?? $1.putOff() }
    if timeline.isVirtual, delay.map({ $0 > Self.answerBound }) ?? true {
      // The bus itself goes by the real time. What does not fit the request is not taken.
      timeline.schedule(at: timeline.now.advanced(by: Self.answerBound)) {
        resume?()
        port.answerGet(request, nil)
        port.answerSet(request, accepted: false)
      }
    }
    guard let delay else { return }
    timeline.schedule(at: timeline.now.advanced(by: delay)) {
      resume?()
      answer()
    }
  }

  /// Sends a report at its time: those that are due at once in the order they were made.
  func reply(
    _ content: Reply.Content, _ delay: Duration, _ port: any HIDPeripheralPort, _ purpose: Purpose
  ) {
    let hasRoom = state.withLock { state in
      guard state.replyCount < Self.replyCapacity else { return false }
      state.replyCount += 1
      return true
    }
    guard hasRoom else {
      // A repeat that has no room is left out: the host has asked for nothing.
      if case .setting = content { return endRepeat(content) }
      return tell(.lost(1))
    }
    timeline.schedule(at: timeline.now.advanced(by: delay)) { [weak self] in
      self?.sendReply(Reply(content: content, purpose: purpose, port: port))
    }
  }

  func sendReply(_ reply: Reply) {
    let begins = state.withLock { state in
      // The device may have been unplugged meanwhile, and plugged again: then nobody waits for this.
      guard state.isPlugged, state.isCurrent(reply.port) else { return false }
      state.replies.append(reply)
      defer { state.isReplying = true }
      return !state.isReplying
    }
    guard begins else { return }
    timeline.beginWork()
    Task {
      while let next = nextReplies() {
        // Unplugged in between: then nobody is there to hear of it.
        _ = try? await send(next.contents, through: next.port, for: next.purpose)
      }
      timeline.endWork()
    }
  }

  /// The replies that go out next: together, so that those which are due while one is on its way do not fall behind.
  private func nextReplies() -> (
    contents: [Reply.Content], port: any HIDPeripheralPort, purpose: Purpose
  )? {
    state.withLock { state in
      guard let first = state.replies.first else {
        state.isReplying = false
        return nil
      }
      let next = state.replies.prefix(Self.burst).prefix {
        $0.port === first.port && $0.purpose == first.purpose
      }
      defer {
        state.replies.removeFirst(next.count)
        state.replyCount -= next.count
      }
      return (next.map(\.content), first.port, first.purpose)
    }
  }

  func answered(
    _ request: HIDRequestID, _ report: [UInt8]?, _ port: any HIDPeripheralPort
  ) {
    let now = timeline.now
    let happenings = state.withLock { state -> [HIDInterfaceModel.Happening] in
      // A request of the same number may have been put to the device since it was plugged again.
      guard state.isCurrent(port) else { return [] }
      return state.model.answered(request, report, at: now)
    }
    for happening in happenings { tell(happening.kind, at: happening.time, by: happening.client) }
  }
}
