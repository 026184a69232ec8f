// SPDX-License-Identifier: Apache-2.0

public import Testing

#if VIRTUAL_HID
  import HIDSimulator

  /// A trait that plugs virtual devices for a test, or for each test of a suite.
  public struct VirtualDeviceTrait: TestTrait, SuiteTrait, TestScoping {
    /// The device files and traces, as the test names them.
    public let files: [String]
    /// The bus that the devices are plugged into.
    public let bus: HIDTestBus
    private let filePath: String

    init(_ files: [String], _ bus: HIDTestBus, _ filePath: String) {
      self.files = files
      self.bus = bus
      self.filePath = filePath
    }

    /// True: each test of a suite has devices of its own.
    public var isRecursive: Bool { true }

    /// Skips the test if its bus is the kernel's, and `/dev/uhid` is missing or may not be opened.
    ///
    /// With `HIDSIM_REQUIRE`, and if the bus cannot be used for another reason, the test is not
    /// skipped, and fails when its devices are plugged. The first call with the bus `automatic`
    /// prints the bus to standard error.
    public func prepare(for test: Test) async throws {
      bus.announce()
      guard let reason = bus.reasonToSkip else { return }
      // `disabled` throws the error that Swift Testing takes for a skipped test.
      try await ConditionTrait.disabled(Comment(rawValue: reason)).prepare(for: test)
    }

    /// Plugs the devices, runs the test, and unplugs them, even if the test throws.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await TestBench.run(
        self, of: test.traits.compactMap { $0 as? VirtualDeviceTrait },
        name: test.displayName ?? test.name, function)
    }

    /// The devices, in order.
    var definitions: [HIDDeviceDefinition] {
      get throws { try files.flatMap { try DeviceFiles.devices(named: $0, besides: filePath) } }
    }
  }

  extension Trait where Self == VirtualDeviceTrait {
    /// Plugs virtual devices for a test, or for each test of a suite, and unplugs them afterwards.
    ///
    /// ``HIDTestDevice/current`` is the first of them, unless an outer trait has plugged a device.
    /// On the loopback bus the test has a bus of its own: `HIDDeviceManager` finds the devices of
    /// the test and no others, so that any number of tests can run at the same time. On the
    /// kernel's bus, tests with the same device take turns. A failure lists the last events of the
    /// devices. A failed test has the trace, and a page that shows it, as attachments. If the
    /// kernel's bus was asked for and cannot be used, ``VirtualDeviceTrait/prepare(for:)`` skips
    /// the test. On macOS the test is disabled.
    ///
    /// Several devices are named in one trait, or in the traits of a suite and of its tests. On the
    /// kernel's bus, a test takes its turn for all of them at once.
    ///
    /// - Parameters:
    ///   - files: Device files or traces: paths relative to the folder of the test's source, or
    ///     names of files that come with hidsim.
    ///   - bus: The bus.
    ///   - filePath: The path of the test's source.
    public static func virtualDevice(
      _ files: String..., bus: HIDTestBus = .automatic, filePath: String = #filePath
    ) -> VirtualDeviceTrait {
      VirtualDeviceTrait(files, bus, filePath)
    }
  }
#else
  /// The trait of a test that needs virtual devices, on systems without them.
  public typealias VirtualDeviceTrait = ConditionTrait

  extension Trait where Self == ConditionTrait {
    /// Disables a test that needs virtual devices: hidsim has them on Linux.
    public static func virtualDevice(
      _ files: String..., bus: HIDTestBus = .automatic, filePath: String = #filePath,
      sourceLocation: SourceLocation = #_sourceLocation
    ) -> ConditionTrait {
      .disabled(Comment(rawValue: HIDTestingError.linuxOnly), sourceLocation: sourceLocation)
    }
  }
#endif

/// Plugs a virtual device, runs a body, and unplugs the device, even if the body throws.
///
/// Use it in tests with arguments, and for devices that are plugged during a test.
///
/// On the kernel's bus, a test that already has devices there waits for 30 s at most until a
/// further device can be plugged: other tests may be waiting for the nodes and IDs of this test. If
/// the kernel's bus was asked for, and `/dev/uhid` is missing or may not be opened, the test is
/// cancelled. With the variable `HIDSIM_REQUIRE`, and before Swift 6.3, it fails instead. On macOS
/// the test is cancelled, and fails before Swift 6.3.
///
/// - Parameters:
///   - file: A device file or trace: a path relative to the folder of the test's source, or the
///     name of a file that comes with hidsim.
///   - bus: The bus. If the test already has devices on a bus of that kind, the new one is plugged
///     into the same bus.
///   - filePath: The path of the test's source.
///   - isolation: The actor that runs the body: that of the caller.
///   - body: Called with the plugged device; with the first one, if the file has several.
/// - Returns: The result of the body.
/// - Throws: The reason why the device cannot be plugged; the error of the body. In a test, that
///   error comes in a ``HIDTestFailure`` with the devices' events. `CancellationError` and Swift
///   Testing's own errors stay as they are.
@available(macOS 15, *)
@discardableResult
public func withVirtualDevice<Value>(
  _ file: String, bus: HIDTestBus = .automatic, filePath: String = #filePath,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (HIDTestDevice) async throws -> Value
) async throws -> Value {
  let result = Passed<Value?>(nil)
  try await withoutActuallyEscaping(body) { body in
    // The closure has the isolation of the caller.
    _ = isolation
    nonisolated(unsafe) let own = body
    let body = Passed(own)
    try await TestBench.run(file, from: filePath, on: bus) { devices in
      guard let device = devices.first else { throw HIDTestingError.noDevice }
      result.value = try await body.value(device)
    }
  }
  // The value has been set if nothing was thrown.
  guard let value = result.value else { throw HIDTestingError.noDevice }
  return value
}

/// A caller's value that passes through scopes of any isolation, to a body that the caller's actor
/// runs.
///
/// It is sendable because only one task uses it at a time: the scopes run the body once, while the
/// caller waits for them, and do not read the value themselves.
private final class Passed<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
