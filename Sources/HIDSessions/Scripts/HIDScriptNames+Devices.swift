// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText

/// The meanings of the names of devices and interfaces.
extension HIDScriptNames {
  /// Returns the interfaces that a command can be about: without a target, those of the usual
  /// device, or all interfaces.
  ///
  /// - Throws: A problem at the target if no device or interface has this name, or several have.
  func candidates(_ target: HIDScript.Name?) throws(HIDTextProblem) -> [Reference] {
    var all: [Reference] = []
    for (device, definition) in devices.enumerated() {
      all += definition.interfaces.indices.map { Reference(device: device, interface: $0) }
    }
    guard let target else {
      return usualDevice.map { device in all.filter { $0.device == device } } ?? all
    }
    // A name can end with `#2` itself.
    var (text, number) = (target.text, nil as Int?)
    var found = references(named: text, in: all)
    if found.isEmpty {
      (text, number) = ordinal(text)
      found = references(named: text, in: all)
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

  /// Returns the interfaces of each device with a name; or, if no device has the name, each
  /// interface with the name, alone or as `DEVICE/NAME`.
  private func references(named name: String, in all: [Reference]) -> [[Reference]] {
    let found = devices.indices.filter { devices[$0].name == name }
    guard found.isEmpty else {
      return found.map { device in all.filter { $0.device == device } }
    }
    return all.filter { reference in
      guard let own = self[reference].name else { return false }
      return own == name || "\(devices[reference.device].name)/\(own)" == name
    }.map { [$0] }
  }

  /// Splits a text such as `keyboard#2` into name and number.
  ///
  /// A text without a number from 1 after the last `#` is returned whole, with nil.
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
