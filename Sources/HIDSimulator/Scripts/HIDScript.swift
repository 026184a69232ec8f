// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import HIDText
public import KeyboardLayouts

/// What a person wrote down for devices to do, and for their hosts.
///
/// `parse` reads the text; `resolved(for:)` finds what its names mean on given devices. Both say
/// everything that is wrong before anything is plugged.
public struct HIDScript: Hashable, Sendable {
  /// What messages call the script.
  public var name: String
  /// The commands in order.
  public var statements: [Statement]
  /// Whether the script ends with `hold`: what is down at its end stays down.
  public var holdsAtEnd: Bool

  /// The device files that it asks for by `needs`, in order.
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

  /// A device file that a script asks for.
  public struct DeviceFile: Hashable, Sendable {
    /// A path from the folder of the script on, or the name of a file that comes with hidsim.
    public var name: String
    /// The script, or the file that it includes, in which that stands.
    public var file: String
    /// Where it stands there.
    public var location: HIDTextLocation
  }

  /// A program to run beside the devices of a script.
  public struct Program: Hashable, Sendable {
    /// The name or the path of the program, and its arguments; at least the first.
    ///
    /// A relative path with a slash starts at the folder of ``file``.
    public var words: [String]
    /// The file in which the line is: the script's, or one that it includes.
    public var file: String
    /// The place of the line in the file.
    public var location: HIDTextLocation
  }

  /// One command with its place.
  public struct Statement: Hashable, Sendable {
    /// What is to be done.
    public var command: Command
    /// Where the command begins.
    public var location: HIDTextLocation
    /// The file in which it stands: the script's, or one that it includes.
    public var file: String
    /// The command as it was written, for messages.
    public var text: String
    /// The device or interface that the script picked by `device NAME` or `@NAME`, if it did.
    public var target: Name?
    /// The interface that the command is about; nil until the script is resolved, and then only where
    /// the command is about whole devices: `wait`, and `plug` and `unplug` without a target.
    public var interface: InterfaceReference?
    /// The interfaces of the target; empty without one, and until the script is resolved.
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

    /// A command that a program makes, about any device that can do it.
    ///
    /// - Parameters:
    ///   - command: The command, its names not yet looked up.
    ///   - location: Where messages say that it stands.
    ///   - file: And in which file.
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

  /// A name as it was written, with its place.
  public struct Name: Hashable, Sendable, CustomStringConvertible {
    /// The text, without quotes.
    public var text: String
    /// Where it begins.
    public var location: HIDTextLocation

    /// The text.
    public var description: String { text }
  }

  /// A key, button, axis or light by name.
  public struct Control: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was written.
    public var name: Name
    /// The element of a report that the name stands for.
    ///
    /// It is nil until the script is resolved, and for a switch.
    public var element: HIDControl?
    /// Whether it means a switch of the device file; false until the script is resolved.
    public var isSwitch = false

    init(name: Name, element: HIDControl? = nil, isSwitch: Bool = false) {
      self.name = name
      self.element = element
      self.isSwitch = isSwitch
    }

    /// Names a control.
    ///
    /// - Parameters:
    ///   - name: Its name, without quotes.
    ///   - location: Where messages say that it stands.
    public init(_ name: String, at location: HIDTextLocation) {
      self.init(name: Name(text: name, location: location))
    }

    /// The name as it was written.
    public var description: String { name.text }
  }

  /// A control, and what it is to be.
  public struct Setting: Hashable, Sendable {
    /// The control.
    public var control: Control
    /// Its value.
    public var value: Value

    /// Sets a control to a value.
    public init(_ control: Control, to value: Value) {
      self.control = control
      self.value = value
    }
  }

  /// What one finger does on a touch surface.
  public struct Touch: Hashable, Sendable {
    /// Which finger: the contact's identifier.
    public var contact: Int
    /// Where it is put or moved; nil where it is lifted.
    public var place: Place?
    /// Whether it may come new.
    public var begins: Bool

    /// A place on the surface.
    public struct Place: Hashable, Sendable {
      /// To the right.
      public var x: Value
      /// Down.
      public var y: Value
    }
  }

  /// What a control is to be, or is expected to be.
  public enum Value: Hashable, Sendable {
    /// `on`: the logical maximum; as an expectation, not zero.
    case on
    /// `off`: zero.
    case off
    /// A bare integer: a logical value.
    case logical(Int)
    /// `50%`: from 0, the logical minimum, to 100, the logical maximum.
    case percent(Double)
    /// `0.5n`: from -1 to 1, the ends of a logical range with negative values; from 0 to 1 of another.
    case normalised(Double)
    /// `12.5p`: a physical value, in the unit of the control's field.
    case physical(Double)
  }

  /// A report by its type and ID.
  public struct Report: Hashable, Sendable {
    /// The type.
    public var type: HIDReportType
    /// The ID; nil for an un-numbered report.
    public var id: HIDReportID?
  }

  /// Who can be waited for at a device's nodes.
  public enum Reader: Hashable, Sendable, CaseIterable {
    /// Anybody.
    case any
    /// A reader of the hidraw node.
    case hidraw
    /// A reader of the evdev node.
    case evdev
  }

  /// What a host may send or ask.
  public enum HostEventKind: Hashable, Sendable, CaseIterable {
    /// An output report on its way without an answer.
    case output
    /// A request for a report.
    case get
    /// A request to take a report.
    case set
    /// The first client opens the device.
    case open
    /// The last client closes the device.
    case close
    /// A packet on the device's command link.
    case packet
  }

  /// Which of a host's doings are meant.
  public struct HostEventPattern: Hashable, Sendable {
    /// Which kind.
    public var kind: HostEventKind
    /// Which type of report, nil for any; `.output` for the kind output.
    public var type: HIDReportType?
    /// Which report; nil for any.
    public var id: HIDReportID?
    /// Its bytes, the report ID first where `id` is given; of a packet its content, the command
    /// first; nil for any.
    public var bytes: HIDBytePattern?
    /// Which way a packet goes; nil for both.
    public var direction: HIDLinkPacket.Direction?
  }

  /// What a host is to get for a request for a report.
  public enum HostAnswer: Hashable, Sendable {
    /// An error.
    case error
    /// These bytes, the report ID first where `id` is given.
    case bytes(HIDBytePattern)
  }

  /// How a request is answered.
  public enum Answer: Hashable, Sendable {
    /// With an error.
    case error
    /// Not at all: the host waits until its own time is over.
    case nothing
    /// With a report, its ID first where it is numbered; for a set request without bytes, with success.
    case report([UInt8])
  }

  /// A command of the language.
  public enum Command: Hashable, Sendable {
    /// `tap leftCtrl+c`: press in order, release in reverse order.
    case tap([Control])
    /// `press shift+a`: press in order, and stay down.
    case press([Control])
    /// `release a`, or `release` alone for everything that is down.
    case release([Control])
    /// `type "Hello" layout de-DE`: the strokes for a host with the layout.
    case type(text: String, strokes: [KeyStroke])
    /// `report 00 00 04`: one input report, its ID first where it is numbered.
    case report([UInt8])
    /// `wait 100ms`.
    case wait(Duration)
    /// `wait reader hidraw within 2s`.
    case waitForReader(Reader, within: Duration)
    /// `wait open within 2s`.
    case waitForOpen(within: Duration)
    /// `expect led.capsLock on within 500ms`: true now, or by then. Without a bound: now.
    case expect(Control, Value, within: Duration?)
    /// The same for a state that the device file declares; made when the script is resolved.
    case expectState(Name, Value, within: Duration?)
    /// `set mode 2`, where the device file declares the state `mode`; made when the script is resolved.
    case setState(Name, Value)
    /// `expect event output 2 within 1s`: the next such event after the last one consumed.
    case expectEvent(HostEventPattern, within: Duration)
    /// `expect only event output 2 within 1s`: the same, and no other report or request after the
    /// last one consumed.
    case expectOnlyEvent(HostEventPattern, within: Duration)
    /// `expect nothing for 200ms`: no report and no request of the host from the last event
    /// consumed until then; with a pattern, `expect no event output 2 for 200ms`: no event of that
    /// kind.
    case expectNothing(HostEventPattern?, for: Duration)
    /// `expect nothing else`: every report and request of the host was expected, until now, or
    /// until a time is over.
    case expectNothingElse(for: Duration?)
    /// `expect anything`: all that the host has done since the last consumed event counts as
    /// expected, and so does all that it does until a time is over.
    case expectAnything(for: Duration?)
    /// `move 10 -5`: to the right and down.
    case move(x: Int, y: Int)
    /// `click left`.
    case click(Control)
    /// `scroll -3`, `scroll 2 horizontal`.
    case scroll(Int, isHorizontal: Bool)
    /// `axis leftX 50%`.
    case axis(Control, Value)
    /// `set x 10 y 20`: several controls of one interface at once.
    case set([Setting])
    /// `touch 1 at 50% 50%`, `touch 1 move 60% 50% 2 up`: what some fingers do, in one frame.
    case touch([Touch])
    /// `battery 80%`: every control that says how full the battery is; a `set` once the script is resolved.
    case battery(Value)
    /// `host set led.capsLock on`.
    case hostSet(Control, Value)
    /// `host set feature 3 bytes 00 01`: the host sets a whole report, its ID first where it is given; with `error`
    /// it must be refused.
    case hostSetReport(Report, [UInt8], expectsError: Bool)
    /// `host send output 2 bytes 00 01`: the host writes an output report, its ID first where it is given.
    case hostSend(Report, [UInt8])
    /// `host get feature 3`: the host asks; with `bytes …` or `error` the answer must be that.
    case hostGet(Report, expecting: HostAnswer?)
    /// `host expect KEY on within 1s`: what the host sees.
    case hostExpect(Control, Value, within: Duration?)
    /// `test "name"`: what follows is a test of its own, up to the next.
    case test(String)
    /// `repeat 10` … `end`: so often, one after the other.
    case repeated(Int, [Statement])
    /// `unplug`.
    case unplug
    /// `sync`: until what hosts have done by now has been told.
    case sync
    /// `plug`.
    case plug
    /// `link drop 2`: something that a test does to the command link of the device.
    case link(HIDLinkAction)
    /// `answer once get feature 3 with error after 50ms`: how the next such request is answered, and how much later
    /// than at once.
    case answerOnce(HostEventPattern, with: Answer, after: Duration)
    /// `answer always get feature 3 with 00 01`: the same, for all from now on.
    case answerAlways(HostEventPattern, with: Answer, after: Duration)
    /// `answer usually get feature 3`: as the device does without the script.
    case answerUsually(HostEventPattern)
  }
}

/// Why a script cannot be run.
public struct HIDScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, in the order of the script; never empty.
  public var problems: [HIDTextProblem]

  /// Creates an error from what is wrong.
  public init(problems: [HIDTextProblem]) { self.problems = problems }

  /// The problems, one a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
