// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDSimulator
package import HIDText

/// One command of a stream.
package struct StreamRequest: Sendable {
  /// The action of a command.
  enum Command: Sendable {
    /// Plugs the devices of a file, or a device that the command defines.
    ///
    /// If `waits` is false, the command does not wait until the devices can be used.
    case plug(PlugSource, HIDDelegation?, waits: Bool)
    /// Unplugs a device, and removes it from the run.
    case unplug
    /// Sends input reports, the ID first if they are numbered.
    case report([[UInt8]])
    /// Plays lines of a script; with `isBeside`, in parallel to the commands that follow.
    ///
    /// A script can run in parallel if it has only `wait`, `expect`, `test` and `repeat` commands.
    case script(ScriptText, isBeside: Bool)
    /// Waits for a time.
    case delay(Duration)
    /// Counts the host event with this number as expected, as an expectation of a script does.
    case consume(Int)
    /// Does nothing; its result shows that the commands before it are done, except parallel
    /// scripts.
    case sync
    /// Lists all devices.
    case list
    /// Returns whether each interface of a device, or the named interface, is open, and its state,
    /// reports, named controls and switches.
    case state
    /// Returns the elements that the report descriptors of a device, or of one interface, declare.
    case elements
    /// Leaves requests to the client of the stream; `nil` leaves none.
    case delegate(HIDDelegation?)
    /// Answers a request that was left to a client.
    case answer(UInt64, HIDRequestAnswer?)
    /// Selects the events that the stream sends.
    case events(StreamEvents)
    /// Stops the pending commands with a token, or all of them.
    case cancel(JSONText?)
    /// Stops all commands and ends the stream, at once or when the input of the stream ends.
    case end(withInput: Bool)
  }

  enum PlugSource: Sendable {
    case file(String)
    case device(HIDDeviceDefinition)
  }

  /// A script, with its data from outside its text.
  struct ScriptText: Sendable {
    let text: String
    /// The name of the script in messages.
    let name: String
    /// The variables that are set from outside.
    let variables: [String: String]
    /// The texts that the script can include, by path.
    let files: [String: String]
  }

  let command: Command
  /// The command's name.
  let name: String
  /// The label of the device or interface that the command names; `nil` if it names none.
  let device: String?
  /// The token that the result of the command carries; `nil` if the command has none.
  let token: JSONText?
  let location: HIDTextLocation
  /// The number of the command in ``StreamProgress``; 0 if the command does not wait for others.
  var number = 0

  /// True if the command does not wait for the commands before it.
  var isImmediate: Bool {
    switch command {
    case .answer, .cancel, .end: true
    default: false
    }
  }
}

/// The selection of the kinds of events that a stream sends.
package struct StreamEvents: Hashable, Sendable {
  /// True if the stream sends events.
  package var isOn: Bool
  /// True if the events include input reports.
  package var showsInput: Bool

  package init(isOn: Bool, showsInput: Bool = false) {
    self.isOn = isOn
    self.showsInput = showsInput
  }
}

/// The error for a value of a stream that is not a command.
package struct StreamCommandError: Error {
  package let problems: [HIDTextProblem]
  let name: String?
  let token: JSONText?
}
