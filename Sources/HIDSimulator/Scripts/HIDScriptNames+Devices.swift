// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText

/// The meanings of the names of devices and interfaces.
extension HIDScriptNames {
  /// Returns the interfaces that a command can be about.
  func candidates(_ target: HIDScript.Name?) throws(HIDTextProblem) -> [Reference] {
    var all: [Reference] = []
    for (device, definition) in devices.enumerated() {
      all += definition.interfaces.indices.map { Reference(device: device, interface: $0) }
    }
    guard let target else { return all }
    let (text, number) = ordinal(target.text)
    var found: [[Reference]] = []
    for (device, definition) in devices.enumerated() where definition.name == text {
      found.append(all.filter { $0.device == device })
    }
    if found.isEmpty {
      for reference in all {
        guard let name = self[reference].name else { continue }
        if name == text || "\(devices[reference.device].name)/\(name)" == text {
          found.append([reference])
        }
      }
    }
    if let number {
      guard found.indices.contains(number - 1) else { throw unknownTarget(target, all) }
      return found[number - 1]
    }
    guard let first = found.first else { throw unknownTarget(target, all) }
    guard found.count == 1 else {
      throw problem(
        "\(found.count) devices or interfaces are called \(quoted(text))", at: target.location,
        help: "add #1 to the name for the first, #2 for the second")
    }
    return first
  }

  /// Splits a text such as `keyboard#2` into name and number.
  func ordinal(_ text: String) -> (name: String, number: Int?) {
    guard let mark = text.lastIndex(of: "#"),
      let number = Int(text[text.index(after: mark)...]), number > 0
    else { return (text, nil) }
    return (String(text[..<mark]), number)
  }

  func unknownTarget(_ target: HIDScript.Name, _ all: [Reference]) -> HIDTextProblem {
    let names = devices.map(\.name) + all.compactMap { self[$0].name }
    let near = NameSuggestion.nearest(to: target.text, in: names)
    return problem(
      "no device or interface is called \(quoted(target.text))", at: target.location,
      help: near.map { "did you mean \(quoted($0))?" }
        ?? (names.isEmpty
          ? "there is no device"
          : "known names: \(names.prefix(10).map { quoted($0) }.joined(separator: ", "))"))
  }

  /// Returns the name of a device for the command `device`.
  ///
  /// Devices with the same name get #1, #2 and so on.
  func label(_ device: Int) -> String {
    let name = devices[device].name
    guard devices.count(where: { $0.name == name }) > 1 else { return name }
    return "\(name)#\(devices[...device].count { $0.name == name })"
  }

  subscript(reference: Reference) -> HIDInterfaceDefinition {
    devices[reference.device].interfaces[reference.interface]
  }

  func unique(_ candidates: [Reference]) -> Reference? {
    candidates.count == 1 ? candidates.first : nil
  }

  /// Returns the first of the interfaces; throws if they belong to more than one device.
  ///
  /// The result is `nil` if there are no interfaces.
  func choose(
    _ able: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference? {
    guard let first = able.first else { return nil }
    guard let other = able.first(where: { $0.device != first.device }) else { return first }
    throw problem(
      "more than one device can do this: \(quoted(label(first.device))) and "
        + "\(quoted(label(other.device)))", at: location,
      help: "name one: device NAME in an earlier line, or @NAME before the command")
  }

  func problem(
    _ message: String, at location: HIDTextLocation, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: location, message: message, help: help)
  }
}
