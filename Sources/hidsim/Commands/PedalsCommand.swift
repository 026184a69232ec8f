// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreHID
import HIDPedals
import HIDSimulator
import HIDBus
import HIDText
import IOLoop
import UnixSignals

struct PedalsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pedals",
    abstract: "Print the strokes of page-turner pedals, or run a command for each.",
    usage: "hidsim pedals [<options>] [-- <command>]",
    discussion: """
      hidsim finds pedals by their name or their keys. --pedals names a device that hidsim takes for a keyboard.

      Each line has a port, its label and an event: down, press, up, or cancelled if the pedals were unplugged or \
      seized. With --repeat a pedal that stays down is pressed again and again.

      With -- COMMAND, hidsim runs COMMAND for each press, and waits for its end before it takes the next one. \
      COMMAND has the variables PEDAL (the number of the port), PEDAL_LABEL and PEDAL_REPEAT (0, or the number of \
      the repeat).

        hidsim pedals
        hidsim pedals --repeat 500ms -- ./turn-page

      Keys of the modes, for ports 1 and 3:
        2  Up, Down
        3  Page Up, Page Down
        4  Volume Up, Volume Down
        5  Space, Enter
        6  3, M

      Labels of the ports:
        pair   1 Left, 3 Right, 6 Keyboard
        row    1, 3 and 2 are labelled 1, 2 and 3: their order on the device
        pad    1 Up, 2 Left, 3 Down, 4 Right, 5 Enter, 6 Keyboard
        ports  the number of the port
      """)

  /// A mode of the pedals, by its number.
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case two = "2"
    case three = "3"
    case four = "4"
    case five = "5"
    case six = "6"

    var mode: PedalMode { PedalMode.all.first { $0.name == rawValue } ?? .mode2 }
  }

  /// A set of labels for the ports, by the names of `PedalLabels`.
  enum Labels: String, ExpressibleByArgument, CaseIterable {
    case pair
    case row
    case pad
    case ports

    func label(ofPort port: Int) -> String {
      (PedalLabels(rawValue: rawValue) ?? .ports).label(ofPort: port)
    }
  }

  @OptionGroup var busOptions: BusOptions
  @Flag(help: "Print one JSON object a line.") var json = false
  @Option(help: "The mode of the pedals; default: detected from their keys.") var mode: Mode?
  @Option(help: "The labels of the ports.") var labels = Labels.pair
  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp("Repeat a press while the pedal is down.", valueName: "time"))
  var repeatTime: TimeBound?
  @Option(
    name: .customLong("pedals"),
    help: ArgumentHelp("Treat the device with this product name as pedals.", valueName: "name"))
  var names: [String] = []
  @Flag(help: "Keep the keys of the pedals from other programs.") var seize = false
  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after a time: 5s, 500ms.", valueName: "time"))
  var bound: TimeBound?

  func validate() throws {
    try Passthrough.checkCommand()
    try OptionRule.check(
      .excludes(
        "--json", json, ["a command after --": Passthrough.words != nil],
        because: "with a command hidsim prints no events"))
  }

  func run() async throws {
    try await reporting {
      let command = Passthrough.words ?? []
      try await ChildProgram.check(command)
      let hosts = try HIDBus.forClients(busOptions.selection())
      if let leftOut = hosts.leftOut, !HIDBus.kernelTakesDevices { throw leftOut }
      let names = names
      let monitor = PedalMonitor(
        .init(
          mode: mode?.mode,
          repeats: repeatTime.map { .monitor(delay: $0.duration, interval: $0.duration) } ?? .none,
          seizes: seize,
          use: { client in
            guard let product = await client.product, names.contains(product) else { return nil }
            return .pedals(.program)
          }), on: HIDDeviceManager(on: hosts))
      // Catch signals before the line that names Ctrl-C: a signal then ends the command with 0.
      let signals = await UnixSignalsSequence.catchEndSignals()
      let start = (monotonic: MonotonicTime.now, suspending: SuspendingClock.now)
      let events = await monitor.events()
      let changes = await monitor.pedalChanges()
      if !json { Output.shared.note("waiting for pedals; Ctrl-C ends") }
      let notes = Task { await Self.note(changes) }
      defer { notes.cancel() }
      let failure = await untilEnded(bound, signals: signals) { () -> ChildFailure? in
        for await event in events {
          await Output.shared.settle()
          guard command.isEmpty else {
            if let failure = await run(command, for: event) { return failure }
            continue
          }
          let time = start.monotonic.advanced(
            by: start.suspending.duration(to: event.timestamp))
          print(event, at: time, since: start.monotonic)
        }
        return nil
      }
      for failure in await monitor.failures { Output.shared.note(failure) }
      if let failure = failure ?? nil {
        Output.shared.complain("\(failure.name): \(failure.reason)")
        throw ExitCode(failure.status)
      }
    }
  }

  private static func name(of pedals: Pedals) -> String { pedals.name ?? "pedals" }

  /// Prints a line on standard error for each device with pedals that is found or unplugged.
  private static func note(_ changes: AsyncStream<[Pedals]>) async {
    var last: [Pedals] = []
    for await pedals in changes {
      for pedals in last.filter({ !pedals.contains($0) }) {
        Output.shared.note("\(name(of: pedals)): unplugged")
      }
      for pedals in pedals.filter({ !last.contains($0) }) {
        let reason =
          switch pedals.recognition {
          case .program: "by --pedals"
          case .identity: "by their name"
          case .keys: "by their keys"
          }
        Output.shared.note("\(name(of: pedals)): found \(reason)")
      }
      last = pedals
    }
  }

  private func print(_ event: PedalEvent, at time: MonotonicTime, since start: MonotonicTime) {
    let label = labels.label(ofPort: event.port)
    let name = Self.name(of: event.pedals)
    var words = ""
    var kind = ""
    var number: Int?
    switch event.kind {
    case .down: kind = "down"
    case .press(let repetition):
      kind = "press"
      number = repetition
      if repetition > 0 { words = ", repeat \(repetition)" }
    case .up(let repeats):
      kind = "up"
      number = repeats
      if repeats > 0 { words = " after \(repeats.counting("repeat"))" }
    case .cancelled: kind = "cancelled"
    }
    guard json else {
      let port = String(event.port) == label ? label : "\(event.port) (\(label))"
      return Output.shared.print(
        "\(HIDEventText.time(time, base: start))  \(name): port \(port) \(kind)\(words)")
    }
    var line = JSONLine()
    line.add("event", "pedal")
    line.add("device", .string(name))
    line.add("time", .integer(time.microseconds(since: start)))
    line.add("port", .integer(event.port))
    line.add("label", .string(label))
    line.add("kind", .string(kind))
    if let number { line.add("repeat", .integer(number)) }
    Output.shared.print(line)
  }

  /// Runs the command for a press, and waits until it ends; does nothing for other events.
  ///
  /// Prints a note if the command fails.
  ///
  /// - Returns: The failure if the command could not be started; else nil.
  private func run(_ command: [String], for event: PedalEvent) async -> ChildFailure? {
    guard case .press(let repetition) = event.kind else { return nil }
    let child = ChildProgram(
      command,
      environment: [
        "PEDAL": String(event.port), "PEDAL_LABEL": labels.label(ofPort: event.port),
        "PEDAL_REPEAT": String(repetition),
      ])
    switch await child.result() {
    case .failure(let failure): return failure
    case .success(let end):
      if !Task.isCancelled, end.status != 0 { Output.shared.note(end.words) }
      return nil
    }
  }
}
