// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import HIDReportDescriptor
  import HIDSimulator
  import HIDUsages

  /// The controls of a gamepad, found by the names in its device file.
  struct PadControls {
    /// A control, and the value to which it is set.
    typealias Setting = (control: HIDTestControl, value: HIDTestValue)

    /// A control that the device file names.
    private struct Named {
      let name: String
      let control: HIDReportElement
      let field: HIDReportField
    }

    let definition: HIDDeviceDefinition

    /// Returns the settings that press a button or trigger.
    ///
    /// - Parameter value: From 0, released, to 1, pressed all the way; limited to that range.
    func settings(_ button: HIDTestPadButton, _ value: Double) throws -> [Setting] {
      guard let found = button.controls.lazy.compactMap(named).first else {
        throw HIDTestingError.noSuchPadControl(button.description, lookedFor: button.controls)
      }
      return [(HIDTestControl(found.name), .percent(min(max(value, 0), 1) * 100))]
    }

    /// Returns the settings that move a stick or direction pad.
    ///
    /// - Parameters:
    ///   - stick: The stick or direction pad.
    ///   - x: From -1, left, to 1, right.
    ///   - y: From -1, down, to 1, up.
    func settings(_ stick: HIDTestPadStick, x: Double, y: Double) throws -> [Setting] {
      switch stick.controls {
      case .axes(let xName, let yName): try axes([xName, yName], stick, x, y)
      case .hat(let name): try hat(name, stick, x, y)
      }
    }

    private func axes(
      _ names: [String], _ stick: HIDTestPadStick, _ x: Double, _ y: Double
    ) throws -> [Setting] {
      let axes = names.compactMap(named)
      guard axes.count == names.count else {
        throw HIDTestingError.noSuchPadControl(stick.description, lookedFor: names)
      }
      // In HID, the Y axis points down (HID 1.11, section 5.9). The meaning of a value without a
      // usage depends on the vendor, so axes need a usage of the page Generic Desktop (0x01).
      guard axes.allSatisfy({ $0.control.usage.page == 0x01 }) else {
        throw HIDTestingError.rawPadControl(stick.description, names)
      }
      return zip(names, [x, -y]).map {
        (HIDTestControl($0), .percent(50 + 50 * min(max($1, -1), 1)))
      }
    }

    private func hat(
      _ name: String, _ stick: HIDTestPadStick, _ x: Double, _ y: Double
    ) throws -> [Setting] {
      guard let hat = named(name) else {
        let directions = ["up", "down", "left", "right"]
        guard directions.allSatisfy({ named($0) != nil }) else {
          throw HIDTestingError.noSuchPadControl(
            stick.description, lookedFor: [name] + directions)
        }
        return zip(directions, [y > 0, y < 0, x < 0, x > 0]).map {
          (HIDTestControl($0), $1 ? .on : .off)
        }
      }
      // The positions of a hat in eighths of a turn, clockwise from the top.
      let eighths: [[Int64?]] = [[7, 0, 1], [6, nil, 2], [5, 4, 3]]
      let eighth = eighths[y > 0 ? 0 : y < 0 ? 2 : 1][x < 0 ? 0 : x > 0 ? 2 : 1]
      let (first, last) = (hat.field.logicalMinimum, hat.field.logicalMaximum)
      let count = max(last &- first &+ 1, 1)
      // A released hat has a value that is no position.
      let rest = hat.field.representableRange.contains(last &+ 1) ? last &+ 1 : first &- 1
      return [(HIDTestControl(name), .logical(Int(eighth.map { first &+ $0 * count / 8 } ?? rest)))]
    }

    private func named(_ name: String) -> Named? {
      for interface in definition.interfaces {
        guard let alias = interface.controls[name],
          let control = interface.descriptor.controls(named: alias).first(where: {
            $0.type == .input
          }), let report = interface.descriptor.report(.input, id: control.reportID)
        else { continue }
        return Named(name: name, control: control, field: report.fields[control.fieldIndex])
      }
      return nil
    }
  }
#endif
