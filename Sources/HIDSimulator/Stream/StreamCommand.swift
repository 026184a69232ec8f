// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDText

/// One command of a stream.
package struct StreamRequest: Sendable {
  /// What is to be done.
  enum Command: Sendable {
    /// Plugs a device of a file, or of a definition that stands there; waits until it can be used, or does not.
    case plug(PlugSource, HIDDelegation?, waits: Bool)
    /// Unplugs a device, and forgets it.
    case unplug
    /// Sends input reports, the ID first where they are numbered.
    case report([[UInt8]])
    /// Plays lines of a script; beside what follows, where it only waits and expects.
    case script(ScriptText, isBeside: Bool)
    /// Lets time pass.
    case delay(Duration)
    /// Counts the event with a number as expected, as an expectation of a script does.
    case consume(Int)
    /// Nothing: its result says that what stands before it is done.
    case sync
    /// Tells of all devices.
    case list
    /// Tells what a device remembers.
    case state
    /// Leaves requests to who reads the stream; `nil` for none.
    case delegate(HIDDelegation?)
    /// Answers a request that was left to who reads the stream.
    case answer(UInt64, HIDDelegatedAnswer)
    /// Says which events are told.
    case events(StreamEvents)
    /// Stops the commands with a token that are not done with, or all of them.
    case cancel(JSONText?)
    /// Stops everything, and ends the stream; at once, or when its input ends.
    case end(withInput: Bool)
  }

  enum PlugSource: Sendable {
    case file(String)
    case device(HIDDeviceDefinition)
  }

  /// A script, with all that stands outside of its text.
  struct ScriptText: Sendable {
    let text: String
    /// What messages call it.
    let name: String
    /// What is set from outside.
    let variables: [String: String]
    /// What it can include, by path.
    let files: [String: String]
  }

  let command: Command
  /// The command's name.
  let name: String
  /// The label of the device that it is about, if one is named.
  let device: String?
  /// What its result carries.
  let token: JSONText?
  let location: HIDTextLocation
  /// Which of those it is that are not done with.
  var number = 0

  /// Whether it is done at once, whatever stands before it.
  var isImmediate: Bool {
    switch command {
    case .answer, .cancel, .end: true
    default: false
    }
  }
}

/// Which events are told to who reads a stream.
package struct StreamEvents: Hashable, Sendable {
  /// Whether any are.
  package var isOn: Bool
  /// Whether input reports are, too.
  package var showsInput: Bool

  package init(isOn: Bool, showsInput: Bool = false) {
    self.isOn = isOn
    self.showsInput = showsInput
  }
}

/// Why a value of a stream is no command.
package struct StreamCommandError: Error {
  package let problems: [HIDTextProblem]
  let name: String?
  let token: JSONText?
}
