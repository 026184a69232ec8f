// SPDX-License-Identifier: Apache-2.0

public import CoreHID
public import Testing

/// A virtual device that is plugged for a test, with the actions of a user.
///
/// `.virtualDevice(_:bus:)` and ``withVirtualDevice(_:bus:filePath:isolation:_:)`` make them. The
/// names of keys, buttons, axes and lamps are those of scripts: the names that `hidsim show`
/// prints, and those that a device file itself defines.
///
/// Keys that are down stay down until they are released, or the test is over.
@available(macOS 15, *)
public final class HIDTestDevice: Sendable {
  let bench: TestBench
  private let index: Int

  init(_ index: Int, of bench: TestBench) {
    self.index = index
    self.bench = bench
  }

  // MARK: The devices of a test

  @TaskLocal static var plugged: [HIDTestDevice] = []

  /// The device that is plugged for the current test; the first, if there are several.
  ///
  /// The result does not change if another device is plugged during the test.
  ///
  /// - Throws: `HIDTestingError.noDevice` if no device is plugged for the test.
  public static var current: HIDTestDevice {
    get throws(HIDTestingError) {
      guard let first = plugged.first else { throw .noDevice }
      return first
    }
  }

  /// The devices that are plugged for the current test, in order.
  ///
  /// The devices of the suite come first, then those of the test, then those that were plugged
  /// during the test. A device that the test has unplugged stays in the list.
  public static var all: [HIDTestDevice] { plugged }

  /// Returns the device with a name that is plugged for the current test.
  ///
  /// - Throws: `HIDTestingError.noSuchDevice` if no plugged device has the name; `noDevice` if no
  ///   device is plugged.
  public static func named(_ name: String) throws(HIDTestingError) -> HIDTestDevice {
    guard let device = plugged.first(where: { $0.name == name }) else {
      throw plugged.isEmpty ? .noDevice : .noSuchDevice(name, plugged: plugged.map(\.name))
    }
    return device
  }

  /// The name of the device: the name in its file, with `#2` and so on if several have the same.
  public var name: String { bench.name(of: index) }

  /// The device's nodes on the kernel's bus, hidraw first: `/dev/hidraw0`, `/dev/input/event3`.
  ///
  /// For a composite device, these are the nodes of its interfaces, in order. There are none on the
  /// loopback bus, and while the device is not plugged.
  public var nodes: [String] { bench.nodes(of: index) }

  /// The reference by which clients of CoreHID name the device: that of its first interface.
  ///
  /// - Throws: `HIDDeviceError.notReady` while it is not plugged; another `HIDDeviceError` if
  ///   devices cannot be looked for; `CancellationError`.
  public var deviceReference: HIDDeviceClient.DeviceReference {
    get async throws { try await bench.deviceReference(of: index) }
  }

  /// A new client of the device's first interface.
  ///
  /// - Throws: `HIDDeviceError.notReady` while it is not plugged, if this user may not open it, or
  ///   if its report descriptor is not valid; the other errors of ``deviceReference``.
  public var client: HIDDeviceClient {
    get async throws {
      guard let client = HIDDeviceClient(deviceReference: try await deviceReference) else {
        throw HIDDeviceError.notReady
      }
      return client
    }
  }

  // MARK: Actions of a user

  /// Presses keys or buttons in order, and releases them in reverse order: `tap("leftCtrl+c")`.
  ///
  /// - Throws: An error if the device has no such key, with a similar name if there is one;
  ///   `CancellationError` if the task is cancelled or the test is over. The actions below throw
  ///   such errors too, and errors for values that a control cannot have. If an action fails for
  ///   another reason, such as an unplugged device, the test has a failure, and nothing is thrown.
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

  /// Releases keys or buttons; if none is named, all that are down, and lifts all contacts.
  public func release(
    _ keys: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.release(keys.map(Self.split) ?? []), sourceLocation)
  }

  /// Presses a button, and releases it: `left`, `right`, `middle`, `back`, `forward` or a number.
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
  ///   - skipsMissing: True to leave out characters that the layout cannot type; false to throw an
  ///     error for them, and type nothing.
  ///   - sourceLocation: The location that a failure names.
  public func type(
    _ text: String, layout: String = "en-US", skippingMissing skipsMissing: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(
      .type(text, layout: layout, skipsMissing: skipsMissing), sourceLocation)
  }

  /// Moves the pointer right by `x` and down by `y` counts, in as many reports as necessary.
  public func move(
    x: Int, y: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.move(x: x, y: y), sourceLocation)
  }

  /// Turns the wheel by `amount` detents; if `isHorizontal` is true, the horizontal one.
  public func scroll(
    _ amount: Int, isHorizontal: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.scroll(amount, isHorizontal: isHorizontal), sourceLocation)
  }

  /// Sets an axis, another control or a state to a value: `set("leftX", to: .percent(50))`.
  ///
  /// For a control that hosts set, such as a lamp, the device keeps the value and sends nothing.
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

  /// Unplugs the device, and returns when the bus has released it.
  public func unplug() async { await bench.unplug(index) }

  /// Plugs the device again, and returns when it can be used.
  ///
  /// - Throws: The reason why it cannot be plugged; an error if it is plugged already, or if the
  ///   test is over.
  public func plug() async throws { try await bench.plug(index) }

  /// Runs lines of a script; `Documentation/hidsim.docc/Scripts.md` lists all commands.
  ///
  /// A line that fails is a failure of the test, and ends the script.
  ///
  /// - Returns: True if all lines were carried out.
  /// - Throws: Before any line runs, the error in the text of the script, or for names, values or
  ///   reports that do not fit the device; `CancellationError`.
  @discardableResult
  public func play(
    _ script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    try await bench.perform(.script(script), on: index, sourceLocation)
  }

  // MARK: Expectations

  /// Expects a lamp, another control or a state to have a value now or within a time.
  ///
  /// As with `#expect`, the test continues if the control has another value. While an expectation
  /// waits, the device can perform other actions.
  ///
  /// - Parameters:
  ///   - control: The control or state: `.led(.capsLock)`, or a name in quotes.
  ///   - value: The expected value; 1 or `.on` for a lamp that is lit.
  ///   - bound: The longest time to wait.
  ///   - sourceLocation: The location that a failure names.
  /// - Returns: True if the control had the value; if not, the test has a failure.
  /// - Throws: An error if the device has no such control, or if the control cannot have the value;
  ///   `CancellationError`.
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
  /// ``expect(_:is:within:sourceLocation:)`` waited, the event of an `expect event` in a script, or
  /// the last one that ``expectAnything(for:sourceLocation:)`` counted. If there is none, the span
  /// begins when the device is plugged. So a report directly after an expected one fails the test,
  /// however soon it comes. Requests of a kernel driver that takes the device do not count. The
  /// events that a failed call has found do not fail the next call of this method again.
  ///
  /// - Returns: True if there was no report and no request; if not, the test has a failure.
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
  /// Reports and requests that came before an expected one count, too, except requests of a kernel
  /// driver that takes the device. At the end of a test this call makes the test strict.
  ///
  /// - Returns: True if all had met an expectation; if not, the test has a failure that lists the
  ///   unexpected reports and requests.
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

  /// Waits until a client has the device open, so that it receives what is sent.
  ///
  /// On the kernel's bus, the kernel's own drivers do not count, but any reader of a node does. For
  /// a composite device, the clients of all its interfaces count.
  ///
  /// - Returns: True if a client has the device open; if not, the test has a failure.
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
