// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// What hid-recorder captured: devices, and the input reports of each with their times.
///
/// Everything is a value of the file: nothing is checked against a descriptor's meaning here, and times
/// are the recorder's stamps. Input reports hold their report ID as first byte where the device numbers
/// its reports, as hidraw gives them.
public struct HIDRecording: Hashable, Sendable {
  /// One device of a recording.
  public struct Device: Hashable, Sendable {
    /// The number of the device in the recording, from its `D:` line; 0 without one.
    public var index: Int
    /// The bytes of the report descriptor, from the `R:` line.
    public var descriptor: [UInt8]
    /// The line of the file that holds the descriptor; 0 for a device that comes from no file.
    public var descriptorLine: Int
    /// The name, from the `N:` line.
    public var name: String?
    /// The physical path, from the `P:` line; nil where there is none or it is empty.
    public var physicalPath: String?
    /// The identity, from the `I:` line.
    public var identity: Identity?
    /// The input reports, in the order of the file.
    public var events: [Event]
    /// The reports of `B:` lines: what the device sent before the recorder's kernel changed it.
    public var originals: [Event]

    /// Creates a device from its parts.
    public init(
      index: Int = 0, descriptor: [UInt8], descriptorLine: Int = 0, name: String? = nil,
      physicalPath: String? = nil,
      identity: Identity? = nil, events: [Event] = [], originals: [Event] = []
    ) {
      self.index = index
      self.descriptor = descriptor
      self.descriptorLine = descriptorLine
      self.name = name
      self.physicalPath = physicalPath
      self.identity = identity
      self.events = events
      self.originals = originals
    }
  }

  /// The bus, vendor and product of an `I:` line.
  public struct Identity: Hashable, Sendable {
    /// The kernel's bus number: 3 for USB, 5 for Bluetooth.
    public var busType: UInt16
    /// The vendor ID.
    public var vendorID: UInt16
    /// The product ID.
    public var productID: UInt16

    /// Creates an identity from its numbers.
    public init(busType: UInt16, vendorID: UInt16, productID: UInt16) {
      self.busType = busType
      self.vendorID = vendorID
      self.productID = productID
    }
  }

  /// One report with its time.
  public struct Event: Hashable, Sendable {
    /// The stamp in microseconds, as it stands in the file.
    public var microseconds: Int64
    /// The report, its ID first where the device numbers its reports.
    public var bytes: [UInt8]
    /// The line of the file; 0 for an event that comes from no file.
    public var line: Int

    /// Creates an event from its parts.
    public init(microseconds: Int64, bytes: [UInt8], line: Int = 0) {
      self.microseconds = microseconds
      self.bytes = bytes
      self.line = line
    }
  }

  /// A comment line that begins with `#!`: what other readers skip and hidsim may understand.
  public struct Extension: Hashable, Sendable {
    /// The text after `#!`, without surrounding blanks.
    public var text: String
    /// The device that was current at the line.
    public var device: Int
    /// The line of the file.
    public var line: Int

    /// Creates an extension line from its parts.
    public init(text: String, device: Int = 0, line: Int = 0) {
      self.text = text
      self.device = device
      self.line = line
    }
  }

  /// The devices, in the order in which the file first names them; at least one after `parse`.
  public var devices: [Device]
  /// The `#!` lines, in the order of the file.
  public var extensions: [Extension]
  /// What is odd in the file without making it unusable: stamps that go back, lines nobody knows.
  public var warnings: [HIDTextProblem]

  /// Creates a recording from its parts.
  public init(
    devices: [Device], extensions: [Extension] = [], warnings: [HIDTextProblem] = []
  ) {
    self.devices = devices
    self.extensions = extensions
    self.warnings = warnings
  }
}

extension HIDRecording {
  /// One input report at its place in time.
  public struct TimedReport: Hashable, Sendable {
    /// The position of the device in ``HIDRecording/devices``.
    public var deviceOffset: Int
    /// The time since the recording's first event.
    public var time: Duration
    /// The report, its ID first where the device numbers its reports.
    public var bytes: [UInt8]
    /// The line of the file; 0 for a report that comes from no file.
    public var line: Int
  }

  /// The input reports of all devices by time, the earliest at zero; equal times stay in file order.
  public func timeline() -> [TimedReport] {
    var all: [(device: Int, event: Event)] = []
    for (offset, device) in devices.enumerated() { all += device.events.map { (offset, $0) } }
    all.sort {  // the sort is stable: events that come from no file keep their device's order
      ($0.event.microseconds, $0.event.line) < ($1.event.microseconds, $1.event.line)
    }
    let start = all.first?.event.microseconds ?? 0  // stamps are never negative
    return all.map {
      TimedReport(
        deviceOffset: $0.device, time: .microseconds($0.event.microseconds - start),
        bytes: $0.event.bytes, line: $0.event.line)
    }
  }
}

/// Why a text is not a recording.
public struct HIDRecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, the first in the file first; never empty.
  public var problems: [HIDTextProblem]

  /// Creates an error from what is wrong.
  public init(problems: [HIDTextProblem]) { self.problems = problems }

  /// The problems, one a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
