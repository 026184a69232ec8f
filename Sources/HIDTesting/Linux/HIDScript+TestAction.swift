// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import HIDReportDescriptor
  import HIDSessions
  import HIDSimulator
  import HIDText
  import Testing

  extension HIDScript {
    /// Makes the script for an action of a test: one line, or the lines that the test gives.
    ///
    /// - Throws: The error in a script's text; `HIDTestingError` for a control that a gamepad does
    ///   not have, or whose range is not known.
    init(
      _ action: TestAction, of device: HIDDeviceDefinition, at place: SourceLocation
    ) throws {
      let location = HIDTextLocation(line: place.line, column: place.column)
      let control = { (name: String) in Control(name, at: location) }
      let setting = { (setting: PadControls.Setting) in
        Setting(control(setting.control.name), to: Value(setting.value))
      }
      let pad = PadControls(definition: device)
      let command: Command
      switch action {
      case .tap(let keys): command = .tap(keys.map(control))
      case .press(let keys): command = .press(keys.map(control))
      case .release(let keys): command = .release(keys.map(control))
      case .click(let button): command = .click(control(button))
      case .move(let x, let y): command = .move(x: x, y: y)
      case .scroll(let amount, let isHorizontal):
        command = .scroll(amount, isHorizontal: isHorizontal)
      case .set(let what, let value):
        command = .set([Setting(control(what.name), to: Value(value))])
      case .padButton(let button, let value):
        command = .set(try pad.settings(button, value).map(setting))
      case .padStick(let stick, let x, let y):
        command = .set(try pad.settings(stick, x: x, y: y).map(setting))
      case .report(let bytes): command = .report(bytes)
      case .expect(let what, let value, let bound):
        command = .expect(
          control(what.name), Value(value), within: bound == .zero ? nil : bound)
      case .expectNothing(let span): command = .expectNothing(nil, for: span)
      case .expectNothingElse(let span):
        command = .expectNothingElse(for: span == .zero ? nil : span)
      case .expectAnything(let span):
        command = .expectAnything(for: span == .zero ? nil : span)
      case .waitForReader(let bound): command = .waitForReader(.any, within: bound)
      case .type(let text, let layout, let skipsMissing):
        let line = HIDScript.typing(text, layout: layout, skippingMissing: skipsMissing)
        self = try HIDScript.parse(Array(line.utf8), name: place.fileID)
        return
      case .script(let text):
        self = try HIDScript.parse(
          Array(text.utf8), name: "the script at \(place.fileID):\(place.line)"
        ).withoutProgram()
        return
      }
      self.init(
        name: place.fileID,
        statements: [Statement(command: command, location: location, file: place.fileID)])
    }
  }

  extension HIDScript.Value {
    fileprivate init(_ value: HIDTestValue) {
      switch value {
      case .on: self = .on
      case .off: self = .off
      case .logical(let number): self = .logical(number)
      case .percent(let number): self = .percent(number)
      case .normalised(let number): self = .normalised(number)
      case .physical(let number): self = .physical(number)
      }
    }
  }

  extension HIDTestControl {
    /// The name of the control in scripts.
    var name: String {
      switch kind {
      case .name(let name): name
      case .usage(let usage): usage.name
      }
    }
  }
#endif
