// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import HIDSimulator
public import HIDText
public import KeyboardLayouts

/// A script: commands for devices, and for their hosts.
///
/// `parse` reads the text. `resolved(for:)` resolves its names for given devices. Both report
/// several problems at once, before the first command runs.
public struct HIDScript: Hashable, Sendable {
  /// The name of the script in messages.
  public var name: String
  /// The commands in order.
  public var statements: [Statement]
  /// True if the script ends with `hold`: controls and fingers that are down at its end stay down.
  public var holdsAtEnd: Bool

  /// The device files that the script names by `needs`, in order.
  public var deviceFiles: [DeviceFile]

  /// The program that `program` names, to run beside the devices; nil without that line.
  public var program: Program?

  /// Creates a script from its parts.
  public init(
    name: String, statements: [Statement], holdsAtEnd: Bool = false, deviceFiles: [DeviceFile] = [],
    program: Program? = nil
  ) {
    self.name = name
    self.statements = statements
    self.holdsAtEnd = holdsAtEnd
    self.deviceFiles = deviceFiles
    self.program = program
  }

  /// A device file, or a trace with devices, that a script needs.
  public struct DeviceFile: Hashable, Sendable {
    /// A path, or the name of a file that comes with hidsim.
    ///
    /// A relative path starts at the folder of ``file``.
    public var name: String
    /// The file with the line `needs`: the script's own file, or one that the script includes.
    public var file: String
    /// The location of the device file's name in ``file``.
    public var location: HIDTextLocation
  }

  /// A program to run beside the devices of a script.
  public struct Program: Hashable, Sendable {
    /// The name or the path of the program, then its arguments; never empty.
    ///
    /// A relative path with a slash starts at the folder of ``file``.
    public var words: [String]
    /// The file with the line `program`: the script's own file, or one that the script includes.
    public var file: String
    /// The location of the line `program` in ``file``.
    public var location: HIDTextLocation
  }

  /// One command with its location.
  public struct Statement: Hashable, Sendable {
    /// The command.
    public var command: Command
    /// The location at which the command begins.
    public var location: HIDTextLocation
    /// The file with the command: the script's own file, or one that the script includes.
    public var file: String
    /// The command as it was written; empty for a command that a program makes.
    ///
    /// The text of a test is `test "NAME"`. The text of a block is `repeat COUNT`.
    public var text: String
    /// The device or interface that the script picked by `device NAME` or `@NAME`; nil if it picked
    /// none.
    public var target: Name?
    /// The interface that the command is about; nil until the script is resolved.
    ///
    /// In a resolved script it is nil for a command that may concern several interfaces, such as
    /// `wait` without a target, and for `test` and `repeat`. If ``scope`` has several interfaces, a
    /// `wait` for a time, `plug`, `unplug`, `sync` and `link` have the first of them.
    public var interface: InterfaceReference?
    /// The interfaces of the target, or of the device that a session chooses for commands without a
    /// target; empty without either, for `repeat`, and until the script is resolved.
    public var scope: [InterfaceReference] = []

    init(
      command: Command, location: HIDTextLocation, file: String, text: String, target: Name?,
      interface: InterfaceReference? = nil
    ) {
      self.command = command
      self.location = location
      self.file = file
      self.text = text
      self.target = target
      self.interface = interface
    }

    /// Creates a command that a program makes, for any device that can carry it out.
    ///
    /// - Parameters:
    ///   - command: The command, whose names are not resolved yet.
    ///   - location: The location in messages.
    ///   - file: The file of the command in messages.
    public init(command: Command, location: HIDTextLocation, file: String) {
      self.init(command: command, location: location, file: file, text: "", target: nil)
    }
  }

  /// One interface of one of the devices that a script was resolved for.
  public struct InterfaceReference: Hashable, Sendable {
    /// The position of the device in the list given to `resolved(for:)`.
    public var device: Int
    /// The position of the interface in its device.
    public var interface: Int

    /// Creates a reference from two positions.
    public init(device: Int, interface: Int) {
      self.device = device
      self.interface = interface
    }
  }

  /// A name as it was written, with its location.
  public struct Name: Hashable, Sendable, CustomStringConvertible {
    /// The text, without quotes.
    public var text: String
    /// The location at which the name begins.
    public var location: HIDTextLocation

    /// The text.
    public var description: String { text }
  }

  /// A key, button, axis, light or switch by name.
  public struct Control: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was written.
    public var name: Name
    /// The element of a report that the name stands for.
    ///
    /// It is nil until the script is resolved, and for a switch.
    public var element: HIDReportElement?
    /// True if the name means a switch of the device file; false until the script is resolved.
    public var isSwitch = false

    init(name: Name, element: HIDReportElement? = nil, isSwitch: Bool = false) {
      self.name = name
      self.element = element
      self.isSwitch = isSwitch
    }

    /// Creates a control from its name.
    ///
    /// - Parameters:
    ///   - name: Its name, without quotes.
    ///   - location: The location in messages.
    public init(_ name: String, at location: HIDTextLocation) {
      self.init(name: Name(text: name, location: location))
    }

    /// The name as it was written.
    public var description: String { name.text }
  }

  /// A control, and the value that it gets.
  public struct Setting: Hashable, Sendable {
    /// The control.
    public var control: Control
    /// Its value.
    public var value: Value

    /// Creates a setting from its parts.
    public init(_ control: Control, to value: Value) {
      self.control = control
      self.value = value
    }
  }

  /// The action of one finger on a touch surface.
  public struct Touch: Hashable, Sendable {
    /// The identifier of the contact, which stands for the finger.
    public var contact: Int
    /// The position at which the finger touches down or to which it moves; nil if it is lifted.
    public var place: Place?
    /// True for `at`, which may put down a new contact; false for `move` and `up`.
    public var begins: Bool

    /// A position on the surface.
    public struct Place: Hashable, Sendable {
      /// The horizontal position, which grows to the right.
      public var x: Value
      /// The vertical position, which grows downwards.
      public var y: Value
    }
  }

  /// A value that a control gets, or is expected to have.
  public enum Value: Hashable, Sendable {
    /// `on`: the logical maximum, or 1 for a state; in an expectation, any value except zero.
    case on
    /// `off`: zero, or the logical minimum of a range without zero; in an expectation, zero.
    case off
    /// A bare integer: a logical value.
    case logical(Int)
    /// `50%`: from 0, the logical minimum, to 100, the logical maximum.
    case percent(Double)
    /// `0.5n`: a part of the logical range, from -1 to 1 for its ends.
    ///
    /// A range without negative values goes from 0 to 1.
    case normalised(Double)
    /// `12.5p`: a physical value, in the unit of the control's field.
    case physical(Double)
  }

  /// A report by its type and ID.
  public struct Report: Hashable, Sendable {
    /// The type.
    public var type: HIDReportType
    /// The ID; nil for an unnumbered report, and if the ID is the first of the command's bytes.
    public var id: HIDReportID?
  }

  /// The events of hosts that a script can expect.
  ///
  /// A set request for an output report also counts as `output`. A packet is one of the device's
  /// command link: the link over which a client drives the device, such as the Bluetooth side of an
  /// InputStick.
  public static let hostEvents: [HIDEventName] = [
    .output, .get, .set, .opened, .closed, .packet, .usb,
  ]

  /// A pattern that selects host events.
  public struct HostEventPattern: Hashable, Sendable {
    /// The name of the event, one of ``HIDScript/hostEvents``.
    public var name: HIDEventName
    /// The type of the report, nil for any; `.output` for the event `output`.
    public var type: HIDReportType?
    /// The ID of the report; nil for any.
    public var id: HIDReportID?
    /// The bytes of the report, its ID first if it is numbered; nil for any.
    ///
    /// The bytes of a packet are its content, which begins with the command.
    public var bytes: HIDBytePattern?
    /// The way by which an output report came; nil for any, and for other events.
    public var route: HIDOutputRoute?
    /// The direction of a packet; nil for both.
    public var direction: HIDLinkPacket.Direction?
    /// The event of a USB host; nil for any, and for other events.
    public var usb: USBEventPattern?
  }

  /// The answer that a host is expected to get to a request for a report.
  public enum HostAnswer: Hashable, Sendable {
    /// An error.
    case error
    /// These bytes, the report ID first if the report is numbered.
    case bytes(HIDBytePattern)
  }

  /// A command of the language.
  ///
  /// A new case also needs a row in the parser's table of commands.
  public enum Command: Hashable, Sendable {
    /// `tap leftCtrl+c`: presses controls in order, and releases them in reverse order.
    case tap([Control])
    /// `press shift+a`: presses controls in order; they stay down.
    case press([Control])
    /// `release a`, or `release` alone for all controls and fingers that are down.
    case release([Control])
    /// `type "Hello" layout de-DE`: types the strokes for a host with the layout.
    case type(text: String, strokes: [KeyStroke])
    /// `report 00 00 04`: sends one input report, its ID first if it is numbered.
    ///
    /// A short report is filled up with zeros.
    case report([UInt8])
    /// `wait 100ms`: waits for a time.
    case wait(Duration)
    /// `wait reader hidraw within 2s`: waits until a program has a node of the device open.
    ///
    /// With a target that has several interfaces, one open interface is enough.
    case waitForReader(HIDNodeReader, within: Duration)
    /// `wait open within 2s`: waits until a client, or a driver of the kernel, has the device open.
    ///
    /// With a target that has several interfaces, one open interface is enough.
    case waitForOpen(within: Duration)
    /// `expect led.capsLock on within 500ms`: the control has the value now, or gets it in time.
    ///
    /// Without a bound, it must have the value now. The host event that gave the control the value
    /// is consumed, if there is one.
    case expect(Control, Value, within: Duration?)
    /// `expect` for a state that the device file declares; made when the script is resolved.
    case expectState(Name, Value, within: Duration?)
    /// `set mode 2` for a state that the device file declares; made when the script is resolved.
    case setState(Name, Value)
    /// `expect event output 2 within 1s`: waits for the next event that the pattern selects, and
    /// consumes it.
    ///
    /// The search begins after the last consumed event. An event is consumed when it meets an
    /// expectation.
    case expectEvent(HostEventPattern, within: Duration)
    /// `expect only event output 2 within 1s`: does the same, and fails if another report or
    /// request of the host came before the event.
    ///
    /// Replies that the device lost, see `HIDDeviceEvent.Kind.lost`, count as a report. The
    /// command also fails if the log has dropped events of hosts that came before the event.
    case expectOnlyEvent(HostEventPattern, within: Duration)
    /// `expect nothing for 200ms`: fails if a report or request of the host came after the last
    /// consumed event, or comes before the time is over.
    ///
    /// Replies that the device lost (`HIDDeviceEvent.Kind.lost`) count as a report. With a
    /// pattern, as in `expect no event output 2 for 200ms`, only events that it selects count. The
    /// command also fails if the log has dropped events of hosts in that time.
    case expectNothing(HostEventPattern?, for: Duration)
    /// `expect nothing else`: every report and request of the host was expected, until now or until
    /// a time is over.
    ///
    /// Replies that the device lost, see `HIDDeviceEvent.Kind.lost`, count as a report that
    /// was not expected. The command also fails if the log has dropped events of hosts in that
    /// time.
    case expectNothingElse(for: Duration?)
    /// `expect anything`: counts all host events after the last consumed event as expected.
    ///
    /// With a time, host events until the time is over count as expected, too.
    case expectAnything(for: Duration?)
    /// `move 10 -5`: moves to the right and down.
    case move(x: Int, y: Int)
    /// `click left`: presses and releases a button.
    case click(Control)
    /// `scroll -3`, `scroll 2 horizontal`: turns a wheel by a number of detents.
    case scroll(Int, isHorizontal: Bool)
    /// `axis leftX 50%`: sets an axis.
    case axis(Control, Value)
    /// `set x 10 y 20`: sets one or more controls of one interface.
    ///
    /// Controls of output and feature reports are remembered, and nothing is sent for them.
    case set([Setting])
    /// `touch 1 at 50% 50%`, `touch 1 move 60% 50% 2 up`: actions of some fingers, in one frame.
    case touch([Touch])
    /// `battery 80%`: sets every control of one interface that reports the level of the battery.
    ///
    /// It becomes a `set` when the script is resolved.
    case battery(Value)
    /// `host set led.capsLock on`: the host sets a control of an output or feature report.
    case hostSet(Control, Value)
    /// `host set feature 3 bytes 00 01`: the host sets a whole report.
    ///
    /// The bytes begin with the ID if the script gives one. With `error`, the command fails unless
    /// the device refuses the report or does not answer. Output reports have no answer, so the
    /// parser refuses `error` after them.
    case hostSetReport(Report, [UInt8], expectsError: Bool)
    /// `host send output 2 bytes 00 01`: the host writes an output report, its ID first if it is
    /// given.
    case hostSend(Report, [UInt8])
    /// `host get feature 3`: the host asks for a report.
    ///
    /// With `bytes …` or `error` the command fails if the host gets another answer. Without them
    /// it fails if the host gets an error.
    case hostGet(Report, expecting: HostAnswer?)
    /// `host expect KEY on within 1s`: waits until a host sees the value of the control.
    ///
    /// Without a bound, the host must see the value now. A feature report is requested only once,
    /// also with a bound.
    case hostExpect(Control, Value, within: Duration?)
    /// `test "name"`: the commands up to the next `test` are a test of their own.
    case test(String)
    /// `repeat 10` … `end`: repeats the commands this number of times.
    case repeated(Int, [Statement])
    /// `unplug`: unplugs the devices, and closes the clients that `host` commands opened on them.
    case unplug
    /// `sync`: waits until all host events up to now are in the log.
    case sync
    /// `plug`: plugs the devices that are not plugged.
    case plug
    /// `link drop 2`: an action on the command link of the device.
    case link(HIDLinkAction)
    /// `answer once get feature 3 with error after 50ms`: sets the answer to the next such
    /// request.
    ///
    /// The answer is sent after the delay. A second command before that request sets the answer to
    /// the request after it.
    case answerOnce(HIDReportRequest, with: HIDRequestAnswer, after: Duration)
    /// `answer always get feature 3 with 00 01`: sets the answer to all such requests, from now
    /// on.
    case answerAlways(HIDReportRequest, with: HIDRequestAnswer, after: Duration)
    /// `answer usually get feature 3`: the device answers such requests as it does without the
    /// script.
    case answerUsually(HIDReportRequest)
  }
}

/// The error for a script that cannot be run.
public struct HIDScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, in the order in which they were found.
  public var problems: [HIDTextProblem]

  /// Creates an error from its problems.
  public init(problems: [HIDTextProblem]) { self.problems = problems }

  /// The problems, one a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
