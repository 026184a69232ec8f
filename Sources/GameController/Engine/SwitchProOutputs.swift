// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import CoreHID
import Synchronization

/// The handshake, lamps, motors, motion and charge of a Switch Pro Controller on USB.
///
/// A controller that no driver has set up sends no input before a handshake, which this class then
/// does. If a driver has set it up, this class does no handshake and only reads the calibration of
/// the sticks and sensors.
///
/// Source: drivers/hid/hid-nintendo.c of Linux 6.12.
final class SwitchProOutputs: ControllerOutputs {
  /// A report to the controller, with the check of the answer to it.
  private enum Command {
    /// A USB command; command 4, the last of the handshake, has no answer.
    case usb(UInt8)
    case subcommand(UInt8, [UInt8])

    var isAnswered: Bool {
      if case .usb(4) = self { false } else { true }
    }

    /// The number of a subcommand; nil for a USB command.
    var code: UInt8? {
      if case .subcommand(let code, _) = self { code } else { nil }
    }

    /// Returns the bytes of the report.
    ///
    /// - Parameters:
    ///   - number: The number of the packet.
    ///   - motors: The vibration of the motors, which each subcommand contains.
    func report(number: UInt8, motors: [UInt8]) -> [UInt8] {
      switch self {
      case .usb(let command): [0x80, command]
      case .subcommand(let command, let arguments):
        [1, number & 15] + motors + [command] + arguments
      }
    }

    func isAnswered(by report: [UInt8]) -> Bool {
      switch self {
      case .usb(let command): report[0] == 0x81 && report[1] == command
      case .subcommand(0x10, let arguments):
        report[0] == 0x21 && report[14] == 0x10
          && report[15..<15 + arguments.count].elementsEqual(arguments)
      case .subcommand(let command, _): report[0] == 0x21 && report[14] == command
      }
    }
  }

  private enum Event: Sendable {
    case report([UInt8])
    /// The time limit for the answer to a command has passed, or a command without an answer was
    /// sent; command 0 stands for the first report.
    case late(command: Int)
    /// The program has set the lamps.
    case lamps
    /// The program has switched the motion on or off.
    case sensors
    /// The program has set the motors.
    case motors
    /// The vibration of this number must be sent again.
    case motorsAgain(number: Int)
  }

  /// The time limit for the first report, and for each answer.
  private static let answerTimeout = Duration.milliseconds(250)
  /// The maximum number of reports that wait in ``stream``; further reports are dropped.
  private static let maximumWaitingCount = 32
  /// The interval at which a vibration is repeated; otherwise the controller ends it.
  private static let vibrationInterval = Duration.milliseconds(50)
  /// The maximum number of times that a command is sent; after it, the next command follows.
  private static let maximumAttemptCount = 3
  private static let factorySticks: [UInt8] = [0x3d, 0x60, 0, 0, 18]
  private static let userSticks: [UInt8] = [0x10, 0x80, 0, 0, 22]
  private static let factorySensors: [UInt8] = [0x20, 0x60, 0, 0, 24]
  private static let userSensors: [UInt8] = [0x26, 0x80, 0, 0, 26]
  private static let minimumByteCount = 50

  private let handed: Handed<(battery: GCDeviceBattery, haptics: GCDeviceHaptics, motion: GCMotion)>
  var battery: GCDeviceBattery? { handed.value.battery }
  var haptics: GCDeviceHaptics? { handed.value.haptics }
  var motion: GCMotion? { handed.value.motion }

  private let client: HIDDeviceClient
  private let stream: AsyncStream<Event>
  private let events: AsyncStream<Event>.Continuation
  /// True until the first report with the state (0x30); later ones do not become events.
  private let waitsForState = Atomic<Bool>(true)
  private let waitingCount = Atomic<Int>(0)
  private let newLamps = News<UInt8>()
  private let motors: Motors
  private let newMotors = News<MotorStrengths>()
  private let newSensors = News<Bool>()
  private let motionReader = Slot(MotionReader(switchPro: nil, user: nil))

  init(_ client: HIDDeviceClient) {
    self.client = client
    // The buffer holds at most 32 reports, one event for each setting, and one time limit for each
    // command and vibration.
    let (stream, events) = AsyncStream<Event>.makeStream(bufferingPolicy: .unbounded)
    (self.stream, self.events) = (stream, events)
    let newMotors = newMotors
    motors = Motors([.left, .right]) { if newMotors.replace($0) { events.yield(.motors) } }
    let newSensors = newSensors
    let motion = GCMotion { if newSensors.replace($0) { events.yield(.sensors) } }
    handed = Handed(value: (GCDeviceBattery(), GCDeviceHaptics(motors), motion))
  }

  func begin(calibrate: @escaping @Sendable ([StickCalibration]) -> Void) {
    Task { await run(calibrate) }
  }

  func end() {
    motors.end()
    events.finish()
  }

  func show(_ player: GCControllerPlayerIndex) {
    // Light as many lamps as the number of the player.
    let lamps = player == .indexUnset ? 0 : UInt8(1 << (player.rawValue + 1) - 1)
    if newLamps.replace(lamps) { events.yield(.lamps) }
  }

  func take(_ report: Span<UInt8>) -> Bool {
    guard report.count >= Self.minimumByteCount else { return false }
    switch report[0] {
    case 0x30:
      takeCharge(report[2])
      guard waitsForState.load(ordering: .relaxed) else { return takeMotion(report) }
    case 0x21: takeCharge(report[2])
    case 0x81: break
    default: return false
    }
    guard waitingCount.load(ordering: .relaxed) < Self.maximumWaitingCount else { return false }
    if report[0] == 0x30 { waitsForState.store(false, ordering: .relaxed) }
    waitingCount.add(1, ordering: .relaxed)
    events.yield(.report(report.indices.map { report[$0] }))
    return false
  }

  private func takeMotion(_ report: Span<UInt8>) -> Bool {
    guard let motion, motion.sensorsActive,
      let (acceleration, rotation) = motionReader.value.motion(of: report)
    else { return false }
    return motion.update(acceleration, rotation)
  }

  private func takeCharge(_ byte: UInt8) {
    // The charge is in quarters; bit 4 is set while the battery is charging.
    let level = min(byte >> 5, 4)
    let isCharging = byte & 0x10 != 0
    battery?.update(
      Float(level) / 4, level == 4 && isCharging ? .full : isCharging ? .charging : .discharging)
  }

  // MARK: The handshake

  private func run(_ calibrate: @Sendable ([StickCalibration]) -> Void) async {
    var commands: [Command] = []
    var sent = 0
    var attempts = 0
    var memory: [UInt8: [UInt8]] = [:]
    var packets: UInt8 = 0
    var vibration = Self.vibration(MotorStrengths())
    var repetition = 0

    func write(_ report: [UInt8]) async {
      packets &+= 1
      let padded = report + [UInt8](repeating: 0, count: 64 - report.count)
      // Ignore errors: the controller may be disconnected.
      try? await client.dispatchSetReportRequest(
        type: .output, id: HIDReportID(rawValue: report[0]), data: Data(padded))
    }

    func sendVibration() async {
      repetition += 1
      await write([0x10, packets & 15] + vibration)
      guard vibration != Self.vibration(MotorStrengths()) else { return }
      schedule(.motorsAgain(number: repetition), after: Self.vibrationInterval)
    }

    func send(_ command: Command) async {
      attempts += 1
      sent += 1
      let number = sent
      await write(command.report(number: packets, motors: vibration))
      if command.isAnswered {
        schedule(.late(command: number), after: Self.answerTimeout)
      } else {
        events.yield(.late(command: number))
      }
    }

    func next() async {
      attempts = 0
      if let command = commands.first { await send(command) }
    }

    schedule(.late(command: 0), after: Self.answerTimeout)
    var isSetUp = false
    var isDriverAtWork = false
    var hasDriver = false

    /// Queues a setting and removes a waiting one with the same command.
    func set(_ command: UInt8, _ value: UInt8) async {
      let sentCount = isSetUp ? 1 : 0
      let waiting = commands.dropFirst(sentCount).filter { $0.code != command }
      commands = commands.prefix(sentCount) + waiting + [.subcommand(command, [value])]
      if commands.count == 1, isSetUp { await next() }
    }

    for await event in stream {
      if case .report = event { waitingCount.subtract(1, ordering: .relaxed) }
      switch event {
      case .report(let report) where !isSetUp && report[0] == 0x30:
        // A driver has set the controller up.
        isSetUp = true
        hasDriver = true
        commands = Self.reading + commands
        await next()
      case .report where !isSetUp:
        // The report is the answer to a driver that is setting the controller up.
        isDriverAtWork = true
      case .late(command: 0) where !isSetUp && isDriverAtWork:
        isDriverAtWork = false
        schedule(.late(command: 0), after: Self.answerTimeout)
      case .late(command: 0) where !isSetUp:
        isSetUp = true
        commands =
          Self.handshake + Self.reading + [.subcommand(3, [0x30]), .subcommand(0x48, [1])]
          + commands
        await next()
      case .report(let report):
        guard let command = commands.first, command.isAnswered(by: report) else { continue }
        if case .subcommand(0x10, let arguments) = command {
          memory[arguments[0]] = Array(report[20..<20 + Int(arguments[4])])
          if let sticks = Self.sticks(memory) { calibrate(sticks) }
          motionReader.value = MotionReader(
            switchPro: memory[Self.factorySensors[0]], user: memory[Self.userSensors[0]])
        }
        commands.removeFirst()
        await next()
      case .late(let number):
        guard number == sent, let command = commands.first else { continue }
        if command.isAnswered, attempts < Self.maximumAttemptCount {
          await send(command)
        } else {
          commands.removeFirst()
          await next()
        }
      case .lamps:
        if let lamps = newLamps.take() { await set(0x30, lamps) }
      case .sensors:
        // A driver that has set the controller up also uses its sensors, so leave them on.
        if let areActive = newSensors.take(), areActive || !hasDriver {
          await set(0x40, areActive ? 1 : 0)
        }
      case .motors:
        if let strengths = newMotors.take() {
          vibration = Self.vibration(strengths)
          await sendVibration()
        }
      case .motorsAgain(let number):
        if number == repetition { await sendVibration() }
      }
    }
  }

  private static let handshake: [Command] = [.usb(2), .usb(3), .usb(2), .usb(4)]
  private static let reading: [Command] = [
    .subcommand(0x10, factorySticks), .subcommand(0x10, userSticks),
    .subcommand(0x10, factorySensors), .subcommand(0x10, userSensors),
  ]

  /// Yields an event after a delay.
  private func schedule(_ event: Event, after time: Duration) {
    let events = events
    Task {
      try? await Task.sleep(for: time)
      events.yield(event)
    }
  }

  // MARK: The motors

  /// Returns the eight bytes of a vibration: four for the left motor, then four for the right one.
  static func vibration(_ strengths: MotorStrengths) -> [UInt8] {
    motor(strengths.left) + motor(strengths.right)
  }

  /// Returns a motor's bytes: 320 Hz, its amplitude, 160 Hz, and the same amplitude.
  private static func motor(_ strength: UInt8) -> [UInt8] {
    let amplitude = Double(strength) / 255
    // These functions give the driver's table of 100 amplitudes.
    let step =
      switch amplitude {
      case ...0: 0.0
      case ...0.12: 1 + 4 * log2(amplitude * 100)
      case ...0.23: 16 * log2(amplitude * 17)
      default: 32 * log2(amplitude * 8.7)
      }
    let index = amplitude > 0 ? UInt8(min(max(step.rounded(), 1), 100)) : 0
    return [0, 1 + 2 * index, index & 1 == 0 ? 0x40 : 0xC0, 0x40 + index / 2]
  }

  // MARK: The sticks

  /// Returns the ranges of both sticks: for each stick the user's if there are some, else the
  /// factory's.
  ///
  /// The result is nil if the memory was not read completely or is not valid.
  ///
  /// - Parameter memory: The parts of the flash memory that were read, by the lowest byte of their
  ///   address.
  private static func sticks(_ memory: [UInt8: [UInt8]]) -> [StickCalibration]? {
    guard let factory = memory[factorySticks[0]], let user = memory[userSticks[0]] else {
      return nil
    }
    func part(_ start: Int, of bytes: [UInt8]) -> [UInt8] { Array(bytes[start..<start + 9]) }
    func isUsers(_ start: Int) -> Bool { user[start] == 0xB2 && user[start + 1] == 0xA1 }
    let left = isUsers(0) ? part(2, of: user) : part(0, of: factory)
    let right = isUsers(11) ? part(13, of: user) : part(9, of: factory)
    let (lefts, rights) = (pairs(left), pairs(right))
    // The order of the left stick is: distance above the centre, centre, distance below it. The
    // order of the right stick is: centre, distance below it, distance above it.
    guard let first = stick(centre: lefts[1], below: lefts[2], above: lefts[0]),
      let second = stick(centre: rights[0], below: rights[1], above: rights[2])
    else { return nil }
    return [first, second]
  }

  /// Returns three pairs of numbers of 12 bits.
  private static func pairs(_ bytes: [UInt8]) -> [(x: Int64, y: Int64)] {
    (0..<3).map { index in
      let (low, middle, high) = (
        Int64(bytes[3 * index]), Int64(bytes[3 * index + 1]), Int64(bytes[3 * index + 2])
      )
      return (low | (middle & 15) << 8, middle >> 4 | high << 4)
    }
  }

  /// Returns the ranges of a stick; nil if the memory is empty (a centre is 0xFFF), or if a
  /// distance from the centre is not above 0.
  private static func stick(
    centre: (x: Int64, y: Int64), below: (x: Int64, y: Int64), above: (x: Int64, y: Int64)
  ) -> StickCalibration? {
    func axis(_ centre: Int64, _ below: Int64, _ above: Int64) -> StickCalibration.Axis? {
      guard below > 0, above > 0, centre != 0xFFF else { return nil }
      return .init(first: centre - below, centre: centre, last: centre + above)
    }
    guard let x = axis(centre.x, below.x, above.x), let y = axis(centre.y, below.y, above.y) else {
      return nil
    }
    return StickCalibration(x: x, y: y)
  }
}
