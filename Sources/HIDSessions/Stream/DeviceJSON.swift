// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDSimulator
package import HIDText

/// A simulated device with its values, as the web page of the bench shows it.
package enum DeviceJSON {
  /// Returns the keys of a device: its label, file and command link, whether an interface is ready,
  /// and its interfaces.
  ///
  /// An interface has its label, its record if it is plugged and ready, whether it is open, whether
  /// the device file has states or switches for it, and its reports with their values.
  ///
  /// - Parameter file: The name of the device's file; nil if it is not known.
  package static func line(_ device: SimulatedDevice, file: String?) -> JSONLine {
    JSONLine { line in
      line.add("device", .string(device.label))
      line.add("file", .optional(file) { .string($0) })
      line.add("plugged", .bool(!device.records.isEmpty))
      line.add("link", .optional(device.link?.place) { .string($0) })
      line.add("interfaces", .array(device.interfaces.map { .object(self.line($0)) }))
    }
  }

  /// Returns the elements of an interface; nil if the device has none with this label.
  package static func elements(ofInterface label: String, of device: SimulatedDevice) -> JSONLine? {
    device.interfaces.first { $0.label == label }.map(elements)
  }

  /// Returns the label and the elements of each interface of a device.
  package static func elements(
    of device: SimulatedDevice
  ) -> [(label: String, elements: JSONLine)] {
    device.interfaces.map { ($0.label, elements($0)) }
  }

  /// Returns the elements of an interface.
  static func elements(_ interface: SimulatedInterface) -> JSONLine {
    let definition = interface.definition
    return ElementJSON.text(of: definition.descriptor, ownNames: definition.ownNames)
  }

  private static func line(_ interface: SimulatedInterface) -> JSONLine {
    JSONLine { line in
      line.add("device", .string(interface.label))
      if let record = interface.record { EventJSON.addRecord(record, to: &line) }
      let (isOpen, reports) = interface.withModel { ($0.isOpen, $0.reportValues) }
      line.add("open", .bool(isOpen))
      let definition = interface.definition
      line.add("hasStates", .bool(!definition.states.isEmpty || !definition.switches.isEmpty))
      let descriptor = interface.definition.descriptor
      line.add(
        "reports",
        .array(
          reports.map { .object(ElementJSON.report($0.type, $0.id, $0.bytes, in: descriptor)) }))
    }
  }
}

extension HIDInterfaceDefinition {
  /// The names that the device file gives to declared elements, by the names of their usages.
  ///
  /// Controls that the device file adds are left out.
  var ownNames: [String: String] {
    var names: [String: String] = [:]
    for named in namedControls {
      if let usage = named.usageName { names[usage] = named.name }
    }
    return names
  }
}
