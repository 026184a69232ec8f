// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
package import HIDText
import HIDTraces

/// The format of device files, version 1.
///
/// JSON with comments and trailing commas; its schema is `Descriptors/schema/device-1.json`.
public enum HIDDeviceFile {
  /// The version of the format, which the key `hidsim` names.
  public static let version = 1
  /// The `$id` of the format's schema.
  public static let schemaID = "urn:hidsim:schema:device:1"
  /// The maximum length of a name that the kernel takes, in bytes.
  public static let maximumNameByteCount = 127
  /// The maximum length of a serial number that the kernel takes, in bytes.
  public static let maximumSerialNumberByteCount = 63
  /// The maximum number of interfaces of a device.
  public static let maximumInterfaceCount = 32

  /// Reads a device file.
  ///
  /// - Parameters:
  ///   - bytes: The file, in UTF-8. It can be hostile.
  ///   - name: The name of the file in messages.
  ///   - load: Reads the file at a path that a report descriptor names. The path is relative to the
  ///     device file's folder, and never leaves it.
  /// - Returns: The device, which can be plugged into the loopback bus without further checks. The
  ///   kernel's bus can still refuse it, see `HIDBus.refusal(of:)`.
  /// - Throws: Up to twenty problems, each with its location.
  public static func parse(
    _ bytes: [UInt8], name: String, loading load: (String) throws -> [UInt8]
  ) throws(HIDDeviceFileError) -> HIDDeviceDefinition {
    let root: JSONNode
    do throws(JSONError) {
      var json = JSONReader(bytes, file: name)
      root = try json.only()
    } catch {
      throw HIDDeviceFileError(problems: [error.problem])
    }
    return try read(root, name: name, loading: load)
  }

  /// Reads a device from a JSON value.
  package static func read(
    _ root: JSONNode, name: String,
    loading load: (String) throws -> [UInt8] = { _ in throw NoFiles() }
  ) throws(HIDDeviceFileError) -> HIDDeviceDefinition {
    var reader = DeviceFileReader(file: name)
    let device = reader.device(root, load)
    guard let device, reader.problems.all.isEmpty else {
      let problems = reader.problems.all.sorted { $0.location < $1.location }
      throw HIDDeviceFileError(problems: problems)
    }
    return device
  }
}

/// The error for a path in a device that does not come from a file.
private struct NoFiles: Error, CustomStringConvertible {
  var description: String {
    "only a device file can name another file; write the report descriptor itself"
  }
}

/// The reader of one device file, with the problems found so far.
struct DeviceFileReader {
  typealias Load = (String) throws -> [UInt8]

  static let interfaceKeys = [
    "reportDescriptor", "nodes", "reports", "controls", "state", "behaviours", "switches",
    "switchRepeats",
  ]
  static let deviceKeys =
    [
      "hidsim", "$schema", "comment", "name", "vendorID", "productID", "version", "manufacturer",
      "serialNumber", "transport", "physicalPath", "country", "usb", "interfaces",
    ] + interfaceKeys

  var problems: JSONProblems

  init(file: String) { problems = JSONProblems(file: file) }

  mutating func device(_ root: JSONNode, _ load: Load) -> HIDDeviceDefinition? {
    guard case .object = root.value else {
      problems.unexpected("a device as an object", root)
      return nil
    }
    guard checkVersion(root) else { return nil }
    guard problems.object(root, "a device", keys: Self.deviceKeys) != nil else { return nil }
    if let schema = root["$schema"], case .string = schema.value {
    } else if let schema = root["$schema"] {
      problems.unexpected("the schema's address as a string", schema)
    }
    if let comment = root["comment"] { checkComment(comment) }

    let name = problems.required("name", of: root, "the device").flatMap {
      problems.text($0, "the name", maximumByteCount: HIDDeviceFile.maximumNameByteCount)
    }
    let vendorID = problems.required("vendorID", of: root, "the device").flatMap {
      problems.integer($0, "the vendor ID", in: 0...0xFFFF)
    }
    let productID = problems.required("productID", of: root, "the device").flatMap {
      problems.integer($0, "the product ID", in: 0...0xFFFF)
    }
    let version = root["version"].map { versionNumber($0, "the version") } ?? 0
    let manufacturer = root["manufacturer"].flatMap {
      problems.text(
        $0, "the manufacturer", maximumByteCount: HIDDeviceFile.maximumNameByteCount,
        canBeEmpty: true)
    }
    let serialNumber = root["serialNumber"].flatMap {
      problems.text(
        $0, "the serial number", maximumByteCount: HIDDeviceFile.maximumSerialNumberByteCount,
        canBeEmpty: true)
    }
    let transport = root["transport"].map { self.transport($0) }
    let place = root["physicalPath"].flatMap { self.place($0) }
    let country = root["country"].map {
      problems.integer($0, "the country code", in: 0...255)
    }
    let interfaces = interfaces(root, load)
    let usb = root["usb"].map { usbSettings($0, hasInterfaces: root["interfaces"] != nil) }
    guard let name, let vendorID, let productID, let interfaces else { return nil }
    var device = HIDDeviceDefinition(
      name: name,
      vendorID: UInt16(truncatingIfNeeded: vendorID),
      productID: UInt16(truncatingIfNeeded: productID),
      versionNumber: version,
      manufacturer: manufacturer.flatMap { $0.isEmpty ? nil : $0 },
      serialNumber: serialNumber.flatMap { $0.isEmpty ? nil : $0 },
      transport: transport.flatMap { $0 } ?? .usb,
      place: place,
      countryCode: UInt8(truncatingIfNeeded: country.flatMap { $0 } ?? 0),
      interfaces: interfaces)
    device.usb = usb ?? USBSettings()
    checkUSB(device, root)
    return device
  }

  /// Reads the beginning of the physical path that the device reports.
  private mutating func place(_ node: JSONNode) -> String? {
    let limit = HIDPhysicalPath.maximumPlaceByteCount
    guard let text = problems.text(node, "the physical path", maximumByteCount: limit) else {
      return nil
    }
    guard HIDPhysicalPath.isPlace(text) else {
      problems.add(
        "expected the beginning of a physical path, found \(quoted(text))", at: node.location,
        help:
          "write it like \"usb-0000:00:14.0-2\": 1 to \(limit) bytes, ASCII letters, digits and "
          + ":._@+- in parts with / between; no part begins with hidsim-; "
          + "hidsim adds /hidsim-…/input0")
      return nil
    }
    return text
  }

  /// Returns whether the file has this version of the format; adds a problem if not.
  ///
  /// This check comes first, because a file of another version has other keys.
  private mutating func checkVersion(_ root: JSONNode) -> Bool {
    guard let node = root["hidsim"] else {
      problems.add(
        "the file has no \"hidsim\"", at: root.location,
        help: "a device file begins with \"hidsim\": \(HIDDeviceFile.version)")
      return false
    }
    guard case .integer(let version) = node.value, version > 0 else {
      problems.unexpected("the format's version as a number", node, help: "write \"hidsim\": 1")
      return false
    }
    guard version == HIDDeviceFile.version else {
      problems.add(
        "the file's format is version \(version), and this hidsim reads version "
          + "\(HIDDeviceFile.version)", at: node.location, help: "use a newer hidsim")
      return false
    }
    return true
  }

  mutating func checkComment(_ node: JSONNode) {
    switch node.value {
    case .string: break
    case .array(let lines):
      for line in lines {
        guard case .string = line.value else {
          problems.unexpected("a line of the comment as a string", line)
          return
        }
      }
    default: problems.unexpected("the comment as a string or an array of strings", node)
    }
  }

  /// Reads a version: `"1.10"`, or the number as the USB device descriptor holds it, 0x0110.
  mutating func versionNumber(_ node: JSONNode, _ what: String) -> UInt16 {
    guard case .string(let text) = node.value, NumberText.hexadecimal(text, as: Int.self) == nil
    else {
      return UInt16(
        truncatingIfNeeded: problems.integer(node, what, in: 0...0xFFFF) ?? 0)
    }
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    let digits = parts.joined().compactMap { (0x30...0x39).contains($0) ? UInt16($0 - 0x30) : nil }
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      digits.count == parts[0].count + 2
    else {
      problems.unexpected(
        "\(what) as one or two digits, a dot and two digits", node, help: "such as \"1.00\"")
      return 0
    }
    return digits.reduce(0) { $0 << 4 | $1 }
  }

  /// Reads the name of a transport, or the kernel's number of a bus.
  private mutating func transport(_ node: JSONNode) -> HIDTransport? {
    if case .string(let text) = node.value, NumberText.hexadecimal(text, as: Int.self) == nil {
      return problems.word(node, "transport", HIDTransport.named.map { ($0.name, $0) })
    }
    return problems.integer(node, "the transport's bus number", in: 0...0xFFFF).map {
      HIDTransport(busType: UInt16(truncatingIfNeeded: $0))
    }
  }

  private mutating func interfaces(_ root: JSONNode, _ load: Load) -> [HIDInterfaceDefinition]? {
    guard let list = root["interfaces"] else {
      guard root["reportDescriptor"] != nil else {
        problems.add(
          "the device has neither \"reportDescriptor\" nor \"interfaces\"", at: root.location,
          help: "add \"reportDescriptor\": […]")
        return nil
      }
      return interface(root, load, named: nil).map { [$0] }
    }
    if let key = Self.interfaceKeys.first(where: { root[$0] != nil }), let node = root[key] {
      problems.add(
        "\(quoted(key)) cannot be combined with \"interfaces\"", at: node.location,
        help: "move it into one of the interfaces")
    }
    guard let elements = problems.elements(list, "the interfaces") else { return nil }
    guard (1...HIDDeviceFile.maximumInterfaceCount).contains(elements.count) else {
      problems.add(
        "the device has \(elements.count) interfaces; expected 1 to "
          + "\(HIDDeviceFile.maximumInterfaceCount)", at: list.location)
      return nil
    }
    var names: Set<String> = []
    var isComplete = true
    var interfaces: [HIDInterfaceDefinition] = []
    for element in elements {
      guard
        problems.object(
          element, "an interface", keys: ["name", "comment", "usb"] + Self.interfaceKeys) != nil
      else {
        isComplete = false
        continue
      }
      if let comment = element["comment"] { checkComment(comment) }
      if let usb = element["usb"] { checkUSBKeys(ofInterface: usb) }
      let name = element["name"].flatMap {
        problems.text(
          $0, "the interface's name", maximumByteCount: HIDDeviceFile.maximumNameByteCount)
      }
      if let name, let node = element["name"], !names.insert(name).inserted {
        problems.add(
          "two interfaces have the name \(quoted(name))", at: node.location,
          help: "scripts pick interfaces by name: give each its own")
      }
      if let interface = interface(element, load, named: name) {
        interfaces.append(interface)
      } else {
        isComplete = false
      }
    }
    return isComplete ? interfaces : nil
  }
}
