// SPDX-License-Identifier: Apache-2.0

public import CoreHID
public import Testing

/// A virtual device that is plugged for a test, and what a person at it would do.
///
/// `.virtualDevice(_:bus:)` and ``withVirtualDevice(_:bus:filePath:isolation:_:)`` make them. Names of keys,
/// buttons, axes and lamps are those of scripts: what `hidsim show` prints, and what a device file names itself.
///
/// Keys that are down stay down until they are let go of, or the test is over.
@available(macOS 15, *)
public final class HIDTestDevice: Sendable {
  let bench: TestBench
  private let index: Int

  init(_ index: Int, of bench: TestBench) {
    self.index = index
    self.bench = bench
  }

  // MARK: Which device

  @TaskLocal static var plugged: [HIDTestDevice] = []

  /// The device that is plugged for the current test: the first, where there are several; where one was plugged in the middle
  /// of the test, it is still the first.
  ///
  /// - Throws: `HIDTestingError` where there is none.
  public static var current: HIDTestDevice {
    get throws(HIDTestingError) {
      guard let first = plugged.first else { throw .noDevice }
      return first
    }
  }

  /// The devices that are plugged for the current test, in order: those of its suite, its own, those that came in its middle.
  public static var all: [HIDTestDevice] { plugged }

  /// The device of a name that is plugged for the current test.
  ///
  /// - Throws: `HIDTestingError` where there is none.
  public static func named(_ name: String) throws(HIDTestingError) -> HIDTestDevice {
    guard let device = plugged.first(where: { $0.name == name }) else {
      throw plugged.isEmpty ? .noDevice : .noSuchDevice(name, plugged: plugged.map(\.name))
    }
    return device
  }

  /// What the device is called: the name in its file, with `#2` and so on for twins.
  public var name: String { bench.name(of: index) }

  /// The device's nodes while it is plugged into the kernel's bus, hidraw first: `/dev/hidraw0`, `/dev/input/event3`.
  ///
  /// Of a composite those of its interfaces, in order. On the loopback bus there are none.
  public var nodes: [String] { bench.nodes(of: index) }

  /// What clients of CoreHID name the device by: its first interface.
  ///
  /// - Throws: `HIDDeviceError.notReady` while it is not plugged.
  public var deviceReference: HIDDeviceClient.DeviceReference {
    get async throws { try await bench.deviceReference(of: index) }
  }

  /// A new client of the device: of its first interface.
  ///
  /// - Throws: `HIDDeviceError.notReady` while it is not plugged.
  public var client: HIDDeviceClient {
    get async throws {
      guard let client = HIDDeviceClient(deviceReference: try await deviceReference) else {
        throw HIDDeviceError.notReady
      }
      return client
    }
  }

  // MARK: What a person does

  /// Presses keys or buttons in order, and lets go of them in reverse order: `tap("leftCtrl+c")`.
  ///
  /// - Throws: That the device has no such key, with those that it may be; as all that follow.
  public func tap(
    _ keys: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.tap(Self.split(keys)), sourceLocation)
  }

  /// Presses keys or buttons in order; they stay down.
  public func press(
    _ keys: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.press(Self.split(keys)), sourceLocation)
  }

  /// Lets go of keys or buttons; of all that are down, where none is named.
  public func release(
    _ keys: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.release(keys.map(Self.split) ?? []), sourceLocation)
  }

  /// Presses a button, and lets go of it: `left`, `right`, `middle`, `back`, `forward` or a number.
  public func click(
    _ button: String = "left", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.click(button), sourceLocation)
  }

  /// Types a text, for a host with a keyboard layout.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - layout: A code such as `de-DE`, or `xkb:` and a layout of the machine's xkb-data.
  ///   - skipsMissing: Whether characters that the layout cannot type are left out; else they are an
  ///     error, and nothing is typed.
  ///   - sourceLocation: The place that a failure names.
  public func type(
    _ text: String, layout: String = "en-US", skippingMissing skipsMissing: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(
      .type(text, layout: layout, skipsMissing: skipsMissing), sourceLocation)
  }

  /// Moves to the right and down, in as many reports as it takes.
  public func move(
    x: Int, y: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.move(x: x, y: y), sourceLocation)
  }

  /// Turns the wheel; with `isHorizontal` the one to the sides.
  public func scroll(
    _ amount: Int, isHorizontal: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.scroll(amount, isHorizontal: isHorizontal), sourceLocation)
  }

  /// Sets an axis, a lamp, or another control to a value: `set("leftX", to: .percent(50))`.
  public func set(
    _ control: HIDTestControl, to value: HIDTestValue,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.set(control, value), sourceLocation)
  }

  /// Sends an input report, its ID first where it is numbered; a short one is filled up with zeros.
  public func send(
    _ report: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.report(report), sourceLocation)
  }

  /// Pulls the device out.
  public func unplug() async { await bench.unplug(index) }

  /// Plugs the device in again, and returns when it can be used.
  ///
  /// - Throws: Why it cannot be; that it is plugged.
  public func plug() async throws { try await bench.plug(index) }

  /// Carries out lines of a script; `Documentation/hidsim.docc/Scripts.md` lists all commands.
  ///
  /// A line that fails is a failure of the test, and ends them.
  ///
  /// - Returns: Whether all of them were carried out.
  /// - Throws: What is wrong in the text.
  @discardableResult
  public func play(
    _ script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    try await bench.perform(.script(script), on: index, sourceLocation)
  }

  // MARK: What is expected

  /// Expects a lamp, or another control that hosts set, to be so, now or within a time.
  ///
  /// As with `#expect`, the test goes on where it is not. Expectations wait side by side with what the device does.
  ///
  /// - Parameters:
  ///   - control: The control: `.led(.capsLock)`, or a name in quotes.
  ///   - value: What is expected; 1 and `.on` for a lamp that is lit.
  ///   - bound: How long it may take.
  ///   - sourceLocation: Where a failure is.
  /// - Returns: Whether it is so.
  /// - Throws: That the device has no such control; `CancellationError`.
  @discardableResult
  public func expect(
    _ control: HIDTestControl, is value: HIDTestValue, within bound: Duration = .zero,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    try await bench.perform(.expect(control, value, within: bound), on: index, sourceLocation)
  }

  /// Expects no report and no request of the host to the device, from the last expected event until
  /// a time is over.
  ///
  /// The last expected event is the report that gave a control the value for which
  /// ``expect(_:is:within:sourceLocation:)`` waited, or the event of an `expect event` in a script.
  /// If there is none, the silence begins when the device is plugged. So a report right behind an
  /// expected one fails the test, however soon it comes.
  ///
  /// - Returns: Whether there was none; if not, the test has a failure.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func expectNothing(
    for span: Duration, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    try await bench.perform(.expectNothing(span), on: index, sourceLocation)
  }

  /// Expects all reports and requests of the host to have met an expectation, until now or until a
  /// time is over.
  ///
  /// Those that came before an expected one count, too. At the end of a test this call makes the
  /// test strict.
  ///
  /// - Returns: Whether all had; if not, the test has a failure that lists the others.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func expectNothingElse(
    for span: Duration = .zero, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    try await bench.perform(.expectNothingElse(span), on: index, sourceLocation)
  }

  /// Counts everything that the host has done to the device as expected, until now or until a time
  /// is over.
  ///
  /// Events that an expectation has passed over stay unexpected.
  ///
  /// - Throws: `CancellationError`.
  public func expectAnything(
    for span: Duration = .zero, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.expectAnything(span), sourceLocation)
  }

  /// Waits until a client has the device open, so that it hears what is sent.
  ///
  /// On the kernel's bus its own drivers do not count, but any reader of a node does.
  ///
  /// - Returns: Whether one has; else it is a failure of the test.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func waitForReader(
    within bound: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    try await bench.perform(.waitForReader(bound), on: index, sourceLocation)
  }

  func perform(_ action: TestAction, _ sourceLocation: SourceLocation) async throws {
    _ = try await bench.perform(action, on: index, sourceLocation)
  }

  private static func split(_ keys: String) -> [String] {
    keys.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
  }
}
