// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization

/// The effects of plugging, host events, timers and switches, and their input reports, which are
/// called replies here.
extension SimulatedInterface {
  /// Performs the behaviour of a timer, on the timeline's loop.
  func tick(_ behaviour: Int, _ port: any HIDDevicePort) {
    let effects = state.withLock { state -> [HIDInterfaceModel.Effect] in
      guard state.attachment.port === port else { return [] }
      return state.model.tick(behaviour, at: timeline.now)
    }
    for effect in effects { perform(effect, port, for: .own) }
  }

  /// Performs an effect.
  ///
  /// This method can be called on any thread.
  ///
  /// - Parameter purpose: The purpose of input reports that the effect sends.
  func perform(
    _ effect: HIDInterfaceModel.Effect, _ port: any HIDDevicePort, for purpose: Purpose
  ) {
    switch effect {
    case .answerGet(let request, let report, .zero): answer(request, report, port)
    case .answerSet(let request, let accepted, .zero):
      answer(request, accepted: accepted, port)
    case .answerGet(let request, let report, let delay):
      putOff(delay, request, port) { [weak self] in self?.answer(request, report, port) }
    case .answerSet(let request, let accepted, let delay):
      putOff(delay, request, port) { [weak self] in
        self?.answer(request, accepted: accepted, port)
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

  func detach(_ pause: Duration?, _ port: any HIDDevicePort) {
    state.withLock { $0.attachment.port === port ? $0.device : nil }?.detach(pause: pause)
  }

  /// The maximum time that a host waits for an answer after the device has received the request.
  ///
  /// It is the same on both buses.
  static let answerBound = Duration.seconds(5)

  /// Answers a request later, and lets a virtual time go on for a host that waits for the answer.
  ///
  /// In a virtual time the host gets an error if there is no answer after ``answerBound``.
  ///
  /// - Parameter delay: The delay of the answer; `nil` for no answer.
  func putOff(
    _ delay: Duration?, _ request: HIDRequestID, _ port: any HIDDevicePort,
    _ answer: @escaping @Sendable () -> Void
  ) {
    let flights = state.withLock { $0.flights }
    let resume = flights.reduce(nil as (@Sendable () -> Void)?) { $0 ?? $1.postponeAnswer() }
    if timeline.isVirtual, delay.map({ $0 > Self.answerBound }) ?? true {
      // The bus uses the real time, so the host's timeout is simulated. The bus ignores the call
      // that does not fit the request.
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

  /// Sends a report after a delay, or drops it if the queue has no room.
  ///
  /// A dropped report is logged as lost, except a repeat of a switch. Reports that are due together
  /// are sent in the order of the calls. A report is not sent after the device was unplugged.
  func reply(
    _ content: ReplyQueue.Reply.Content, _ delay: Duration, _ port: any HIDDevicePort,
    _ purpose: Purpose
  ) {
    let hasRoom = state.withLock { state -> Bool? in
      // The device may have been unplugged: its replies do not count any more.
      guard state.attachment.isCurrent(port) else { return nil }
      return state.replies.reserve()
    }
    guard let hasRoom else { return }
    guard hasRoom else {
      // A repeat that has no room is left out. It is not counted as lost, since no host requested
      // it.
      if case .setting = content { return endRepeat(content) }
      return tell(.lost(1))
    }
    timeline.schedule(at: timeline.now.advanced(by: delay)) { [weak self] in
      self?.sendReply(.init(content: content, purpose: purpose, port: port))
    }
  }

  func sendReply(_ reply: ReplyQueue.Reply) {
    let begins = state.withLock { state in
      // The device may have been unplugged and plugged again: then the reply is dropped.
      guard state.attachment.isCurrent(reply.port) else { return false }
      return state.replies.append(reply)
    }
    guard begins else { return }
    timeline.beginWork()
    Task {
      while let next = state.withLock({ $0.replies.next() }) {
        // The device may have been unplugged in between. The error has no receiver then.
        _ = try? await send(next)
      }
      timeline.endWork()
    }
  }

  private func answer(_ request: HIDRequestID, _ report: [UInt8]?, _ port: any HIDDevicePort) {
    // The answer is logged first: the host may continue and end the run before the call returns.
    answered(request, report.map { .report(HIDReportBytes($0)) } ?? .error, port)
    port.answerGet(request, report)
  }

  private func answer(_ request: HIDRequestID, accepted: Bool, _ port: any HIDDevicePort) {
    answered(request, accepted ? .acknowledged : .error, port)
    port.answerSet(request, accepted: accepted)
  }

  private func answered(
    _ request: HIDRequestID, _ value: HIDRequestAnswer, _ port: any HIDDevicePort
  ) {
    let now = timeline.now
    let happenings = state.withLock { state -> [HIDInterfaceModel.Happening] in
      // After the device was plugged again, another request can have the same number.
      guard state.attachment.isCurrent(port) else { return [] }
      return state.model.answered(request, value, at: now)
    }
    for happening in happenings { tell(happening) }
  }
}
