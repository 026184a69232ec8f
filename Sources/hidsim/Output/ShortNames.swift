// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsages

/// The short names of a device's elements, for script commands that press or move them.
struct ShortNames {
  /// The names with their usages, by kind of element.
  let groups: [(kind: String, names: [(name: String, usage: HIDUsage)])]

  init(of descriptor: HIDReportDescriptor) {
    let isMouse = descriptor.controls(.genericDesktop(.x), type: .input).contains { control in
      guard let fields = descriptor.report(.input, id: control.reportID)?.fields else {
        return false
      }
      return fields.indices.contains(control.fieldIndex) && fields[control.fieldIndex].isRelative
    }
    let tables = [
      ("keys", HIDUsage.keyAliases), ("axes", HIDUsage.axisAliases),
      ("buttons", isMouse ? HIDUsage.mouseButtonAliases : []),
    ]
    groups = tables.compactMap { kind, aliases in
      var known: Set<HIDUsage> = []
      let names = aliases.filter { alias in
        // If a usage has several names, only the first is listed.
        known.insert(alias.usage).inserted
          && !descriptor.controls(alias.usage, type: .input).isEmpty
      }
      return names.isEmpty ? nil : (kind, names)
    }
  }

  /// The names in lines of at most 100 characters, one or more lines for each kind.
  var lines: [String] {
    groups.flatMap { kind, names in
      var lines: [String] = []
      var line = "  " + kind.padding(to: 7)
      for (name, _) in names {
        if line.count + 1 + name.count > 100 {
          lines.append(line)
          line = "  " + "".padding(to: 7)
        }
        line += " " + name
      }
      return lines + [line]
    }
  }
}

extension String {
  /// Returns the text, with spaces appended up to at least `count` characters.
  func padding(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
