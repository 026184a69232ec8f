// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import Glibc
  import HIDBus
  import Testing

  extension HIDTestBus {
    /// Returns the bus that `automatic` selects; any other bus itself.
    ///
    /// - Throws: A `HIDBusError` if `HIDSIM_BUS` names no bus.
    func resolved() throws(HIDBusError) -> HIDTestBus {
      guard self == .automatic else { return self }
      return switch try HIDBusSelection.fromEnvironment() {
      case .auto: Self.kernelProblem == nil ? .kernel : .loopback
      case .kernel: .kernel
      case .loopback: .loopback
      case .usb: .usb
      }
    }

    /// The selection that stands for the bus.
    var selection: HIDBusSelection {
      switch self {
      case .automatic: .auto
      case .loopback: .loopback
      case .kernel: .kernel
      case .usb: .usb
      }
    }

    /// The reason why `/dev/uhid` could not be opened when a test first needed it; `nil` if it was
    /// opened.
    ///
    /// It is stored so that all tests of a process have the same bus, even if file descriptors run
    /// out.
    private static let kernelProblem = HIDBus.kernelProblem

    // MARK: A bus that cannot be used

    /// The reason why a test on this bus is skipped.
    ///
    /// It is `nil` if the bus can be used, or if the test has to fail.
    var reasonToSkip: String? {
      HIDBusSelection.isRequiredByEnvironment ? nil : problem?.message
    }

    /// The reason why this bus cannot be used here.
    ///
    /// It is `nil` if the bus can be used, or if the test has to fail with another error, such as
    /// that of a wrong name in `HIDSIM_BUS`, or a lack of file descriptors.
    private var problem: HIDBusError? {
      guard let bus = try? resolved(), bus != .loopback,
        let cause = bus == .usb ? USBBus.unavailability() : HIDBus.kernelProblem,
        [.unavailable, .permissionDenied].contains(cause.kind)
      else { return nil }
      let asked = self == .automatic ? "HIDSIM_BUS=\(bus)" : "bus: .\(bus)"
      let (name, file) = bus == .usb ? ("USB bus", "vhci_hcd") : ("kernel's bus", "/dev/uhid")
      return HIDBusError(
        cause.kind,
        """
        the \(name) (\(asked)) cannot be used: \(file): \(Self.text(of: cause)); run the tests in \"hidsim vm\", or \
        do what \"hidsim doctor\" says
        """, errorNumber: cause.errorNumber)
    }

    /// Returns the bus of the machine's kernel, or its USB bus, for a test; cancels the test if the
    /// bus cannot be used.
    ///
    /// - Throws: The error that cancels the test. The reason why the bus cannot be used, if
    ///   `HIDSIM_REQUIRE` is set, if no test runs, or if Swift is older than 6.3 and cannot cancel
    ///   tests. Any other error of the bus, such as a lack of descriptors, without cancelling.
    func machineBus() throws -> HIDBus {
      guard let problem else { return try HIDBus(resolved().selection) }
      if HIDBusSelection.isRequiredByEnvironment {
        throw HIDBusError(
          problem.kind, "\(problem.message); without HIDSIM_REQUIRE the test is skipped",
          errorNumber: problem.errorNumber)
      }
      #if compiler(>=6.3)
        if Test.current != nil { try Test.cancel(Comment(rawValue: problem.message)) }
      #endif
      throw problem
    }

    private static func text(of problem: HIDBusError) -> String {
      String(cString: strerror(problem.errorNumber))
    }

    // MARK: The announcement of the bus

    /// Prints the bus that `automatic` selects, once in a process; prints nothing for other buses.
    func announce() {
      if self == .automatic { Self.announcement }
    }

    private static let announcement: Void = {
      do throws(HIDBusError) {
        let kind: HIDBusKind =
          switch try automatic.resolved() {
          case .kernel: .kernel
          case .usb: .usb
          case .loopback, .automatic: .loopback
          }
        let line =
          try HIDBusSelection.fromEnvironment().announcement(of: kind, problem: kernelProblem)
          + "\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      } catch {
        // Each test that asks for the bus fails with this error.
      }
    }()
  }
#endif
