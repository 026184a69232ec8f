// SPDX-License-Identifier: Apache-2.0

public import Testing

#if VIRTUAL_HID
  import HIDSimulator

  /// A trait that plugs virtual devices for a test, or for each test of a suite.
  public struct VirtualDeviceTrait: TestTrait, SuiteTrait, TestScoping {
    /// The device files.
    public let files: [String]
    /// The bus that they are plugged into.
    public let bus: HIDTestBus
    private let filePath: String

    init(_ files: [String], _ bus: HIDTestBus, _ filePath: String) {
      self.files = files
      self.bus = bus
      self.filePath = filePath
    }

    /// Each test of a suite has devices of its own.
    public var isRecursive: Bool { true }

    /// Skips the test if its bus cannot be used, unless `HIDSIM_REQUIRE` is set: it fails then.
    public func prepare(for test: Test) async throws {
      bus.announce()
      guard let reason = bus.reasonToSkip else { return }
      // `disabled` throws the error that Swift Testing takes for a skipped test.
      try await ConditionTrait.disabled(Comment(rawValue: reason)).prepare(for: test)
    }

    /// Plugs the devices, runs the test, and unplugs them, however it ended.
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
    /// Plugs virtual devices for a test, or for each test of a suite, and unplugs them when it is over.
    ///
    /// ``HIDTestDevice/current`` is the first of them. On the loopback bus the test has a bus of
    /// its own: `HIDDeviceManager` finds these devices and no others, so that any number of tests
    /// can run at the same time. On the kernel's bus tests take turns. A failure lists what devices
    /// and hosts have sent, and has the trace as an attachment. If the bus that was asked for
    /// cannot be used, the test is skipped. On macOS it is disabled.
    ///
    /// Several devices are named in one trait, or in those of a suite and of its tests: on the kernel's bus a test takes its turn
    /// for all of them at once.
    ///
    /// - Parameters:
    ///   - files: Device files or traces: paths, from the folder of the test's source on, or names of the files that come
    ///     with hidsim.
    ///   - bus: The bus.
    ///   - filePath: The test's source.
    public static func virtualDevice(
      _ files: String..., bus: HIDTestBus = .automatic, filePath: String = #filePath
    ) -> VirtualDeviceTrait {
      VirtualDeviceTrait(files, bus, filePath)
    }
  }
#else
  /// The trait of a test that needs virtual devices, where there are none.
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

/// Plugs a virtual device, runs a body, and unplugs it, however that ends: for tests with arguments, and for devices
/// that come in the middle of a test.
///
/// On the kernel's bus a test that has devices already waits 30 s for its turn at one more, since others may wait for those that
/// it has. On macOS a test ends here, as one that was disabled. If the bus that was asked for
/// cannot be used, the test is cancelled; it fails with the variable `HIDSIM_REQUIRE`, and before
/// Swift 6.3.
///
/// - Parameters:
///   - file: A device file or trace: a path, from the folder of the test's source on, or the name of a file that comes
///     with hidsim.
///   - bus: The bus. Where the test has devices on that kind of bus already, the new one comes to them.
///   - filePath: The test's source.
///   - isolation: Where the body runs: where the caller does.
///   - body: What is done while it is plugged; it gets the device, the first where the file has several.
/// - Returns: What the body returns.
/// - Throws: Why it cannot be plugged; what the body throws: in a test as a ``HIDTestFailure``, with what happened, but for
///   `CancellationError` and what Swift Testing throws itself.
@available(macOS 15, *)
@discardableResult
public func withVirtualDevice<Value>(
  _ file: String, bus: HIDTestBus = .automatic, filePath: String = #filePath,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (HIDTestDevice) async throws -> Value
) async throws -> Value {
  let result = Passed<Value?>(nil)
  try await withoutActuallyEscaping(body) { body in
    // The closure is isolated as the caller is.
    _ = isolation
    nonisolated(unsafe) let own = body
    let body = Passed(own)
    try await TestBench.run(file, from: filePath, on: bus) { devices in
      guard let device = devices.first else { throw HIDTestingError.noDevice }
      result.value = try await body.value(device)
    }
  }
  // It has been set where nothing was thrown.
  guard let value = result.value else { throw HIDTestingError.noDevice }
  return value
}

/// A caller's value that passes through scopes which may be anywhere, to a body that is where the caller is.
///
/// It is sendable since nobody has it at the same time as another: the scopes run the body once, while the caller waits for them,
/// and what they do not do is look at it.
private final class Passed<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
