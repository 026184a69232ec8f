// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

// The section `usb`: what differs from the USB device that is derived from the rest of the file.
extension DeviceFileReader {
  private static let usbDeviceKeys = [
    "speed", "usbVersion", "class", "product", "power", "selfPowered", "remoteWakeup", "strings",
    "requests", "extraInterfaces",
  ]
  private static let usbInterfaceKeys = [
    "hidVersion", "boot", "interval", "packetSize", "output", "string",
  ]
  /// The maximum number of answers to requests of vendors.
  private static let maximumRequestCount = 256

  /// Checks the keys of the section of an interface in a list.
  mutating func checkUSBKeys(ofInterface node: JSONNode) {
    _ = problems.object(node, "the section usb of an interface", keys: Self.usbInterfaceKeys)
  }

  /// Reads the keys about the device in the section of a device.
  ///
  /// - Parameter hasInterfaces: True if each interface has a section of its own.
  mutating func usbSettings(_ node: JSONNode, hasInterfaces: Bool) -> USBSettings {
    var settings = USBSettings()
    let keys = Self.usbDeviceKeys + Self.usbInterfaceKeys
    guard problems.object(node, "the section usb", keys: keys) != nil else { return settings }
    if hasInterfaces, let key = Self.usbInterfaceKeys.first(where: { node[$0] != nil }) {
      problems.add(
        "\(quoted(key)) cannot be combined with \"interfaces\"",
        at: (node[key] ?? node).location, help: "move it into \"usb\" of one of the interfaces")
    }
    settings.speed = node["speed"].flatMap {
      problems.word($0, "speed", USBSpeed.allCases.map { ($0.rawValue, $0) })
    }
    settings.usbVersion = node["usbVersion"].map { versionNumber($0, "the version of USB") }
    settings.deviceClass = node["class"].flatMap { usbClass($0) }
    settings.product = node["product"].flatMap { usbText($0, "the product") }
    settings.maximumPower = node["power"].flatMap { usbPower($0) }
    settings.isSelfPowered = node["selfPowered"].flatMap { bool($0) } ?? false
    settings.wakesHosts = node["remoteWakeup"].flatMap { bool($0) } ?? false
    if let strings = node["strings"] { readStrings(strings, &settings) }
    settings.requests = node["requests"].map { vendorRequests($0) } ?? []
    settings.extraInterfaces = node["extraInterfaces"].map { extraInterfaces($0) } ?? []
    return settings
  }

  /// Reads the keys about an interface in the section of an interface, or of a device with one.
  ///
  /// The caller has checked that there are no unknown keys.
  mutating func usbInterfaceSettings(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> USBInterfaceSettings {
    var settings = USBInterfaceSettings()
    if let version = node["hidVersion"] {
      settings.hidVersion = versionNumber(version, "the version of HID")
    }
    if let boot = node["boot"],
      let kind = problems.word(
        boot, "boot protocol",
        [("keyboard", USBInterfaceDescription.Boot.keyboard), ("mouse", .mouse)])
    {
      settings.boot = kind
      if descriptor.reports(of: .input).isEmpty {
        problems.add(
          "\"boot\" is not allowed here: the report descriptor declares no input report",
          at: boot.location, help: "remove it")
      }
    }
    settings.interval = node["interval"].flatMap { usbInterval($0) }
    settings.packetByteCount = node["packetSize"].flatMap { packetByteCount($0) }
    settings.output = node["output"].flatMap { usbOutput($0) }
    settings.name = node["string"].flatMap { usbText($0, "the string") } ?? ""
    return settings
  }

  // MARK: Values

  private mutating func bool(_ node: JSONNode) -> Bool? {
    guard case .bool(let value) = node.value else {
      problems.unexpected("true or false", node)
      return nil
    }
    return value
  }

  /// Reads the text of a string descriptor, which can be empty.
  private mutating func usbText(_ node: JSONNode, _ what: String) -> String? {
    guard
      let text = problems.text(node, what, maximumByteCount: .max, canBeEmpty: true)
    else { return nil }
    let (count, limit) = (text.utf16.count, USBDeviceDescription.longestString)
    guard count <= limit else {
      problems.add(
        "\(what) is \(count) UTF-16 units long, and the limit is \(limit)", at: node.location,
        help: "shorten it")
      return nil
    }
    return text
  }

  private mutating func usbClass(_ node: JSONNode) -> USBSettings.Class? {
    guard let bytes = problems.bytes(node, "the class") else { return nil }
    guard bytes.count == 3 else {
      problems.add(
        "expected the class as 3 bytes, found \(bytes.count)", at: node.location,
        help: "write class, subclass and protocol, such as \"ef 02 01\"")
      return nil
    }
    return USBSettings.Class(code: bytes[0], subclass: bytes[1], protocolCode: bytes[2])
  }

  private mutating func usbPower(_ node: JSONNode) -> Int? {
    guard let power = problems.integer(node, "the power", in: 0...USBSettings.greatestPower) else {
      return nil
    }
    guard power.isMultiple(of: 2) else {
      problems.add(
        "the power is \(power); expected an even number of mA", at: node.location,
        help: "USB counts in steps of 2 mA")
      return nil
    }
    return power
  }

  private mutating func usbInterval(_ node: JSONNode) -> UInt8? {
    problems.integer(node, "the interval", in: 1...255).map { UInt8(truncatingIfNeeded: $0) }
  }

  private mutating func packetByteCount(_ node: JSONNode) -> Int? {
    problems.integer(node, "the packet size", in: 1...USBSpeed.high.longestPacket)
  }

  private mutating func usbOutput(_ node: JSONNode) -> USBInterfaceSettings.Output? {
    switch node.value {
    case .object:
      guard
        problems.object(node, "the endpoint for output", keys: ["interval", "packetSize"]) != nil
      else { return nil }
      return .endpoint(
        interval: node["interval"].flatMap { usbInterval($0) },
        packetByteCount: node["packetSize"].flatMap { packetByteCount($0) })
    case .string:
      return problems.word(
        node, "way of output",
        [("endpoint", .endpoint(interval: nil, packetByteCount: nil)), ("control", .control)])
    default:
      problems.unexpected(
        "\"endpoint\", \"control\", or the endpoint as an object", node,
        help: "such as {\"interval\": 4, \"packetSize\": 64}")
      return nil
    }
  }

  private mutating func readStrings(_ node: JSONNode, _ settings: inout USBSettings) {
    guard case .object(let members) = node.value else {
      problems.unexpected("the strings as an object", node, help: "such as {\"200\": \"tablet\"}")
      return
    }
    var indices: Set<UInt8> = []
    for member in members {
      guard let number = NumberText.integer(member.key, as: Int.self),
        let index = UInt8(exactly: number),
        index > 0
      else {
        problems.add(
          "expected the index of a string from 1 to 255, found \(quoted(member.key))",
          at: member.location, help: "such as {\"200\": \"tablet\"}")
        continue
      }
      guard indices.insert(index).inserted else {
        problems.add(
          "string \(index) is given twice", at: member.location, help: "remove one of them")
        continue
      }
      if case .object = member.value.value {
        settings.rawStrings[index] = rawString(member.value, "string \(index)")
      } else {
        settings.strings[index] = usbText(member.value, "string \(index)")
      }
    }
  }

  /// Reads the bytes of a string that is no text, such as `{"hex": "00 01"}`.
  private mutating func rawString(_ node: JSONNode, _ what: String) -> [UInt8]? {
    guard problems.object(node, what, keys: ["hex"]) != nil,
      let hex = problems.required("hex", of: node, what), let bytes = problems.bytes(hex, what)
    else { return nil }
    let limit = USBDeviceDescription.longestRawString
    guard bytes.count <= limit else {
      problems.add(
        "\(what) is \(bytes.count) bytes long, and the limit is \(limit)", at: hex.location,
        help: "shorten it")
      return nil
    }
    return bytes
  }

  // MARK: Requests and extra interfaces

  private mutating func vendorRequests(_ node: JSONNode) -> [USBVendorRequest] {
    guard let elements = problems.elements(node, "the requests") else { return [] }
    guard elements.count <= Self.maximumRequestCount else {
      problems.add(
        "the section usb has \(elements.count) requests; expected at most "
          + "\(Self.maximumRequestCount)", at: node.location)
      return []
    }
    return elements.compactMap { vendorRequest($0) }
  }

  private mutating func vendorRequest(_ node: JSONNode) -> USBVendorRequest? {
    let keys = ["requestType", "request", "value", "index", "answer", "stall"]
    guard problems.object(node, "a request", keys: keys) != nil else { return nil }
    func number16(_ key: String) -> UInt16? {
      node[key].flatMap { problems.integer($0, "the request's \(key)", in: 0...0xFFFF) }
        .map { UInt16(truncatingIfNeeded: $0) }
    }
    let requestType = node["requestType"].flatMap { self.requestType($0) }
    let request = node["request"]
      .flatMap { problems.integer($0, "the request's number", in: 0...255) }
      .map { UInt8(truncatingIfNeeded: $0) }
    let (value, index) = (number16("value"), number16("index"))
    guard let answer = vendorAnswer(node, requestType) else { return nil }
    return USBVendorRequest(
      requestType: requestType, request: request, value: value, index: index, answer: answer)
  }

  private mutating func requestType(_ node: JSONNode) -> UInt8? {
    guard let number = problems.integer(node, "the request type", in: 0...255) else { return nil }
    let type = UInt8(truncatingIfNeeded: number)
    guard USBVendorRequest.requestTypes.contains(type) else {
      problems.add(
        "the request type is \(number); expected 0xc0, 0xc1, 0x40 or 0x41", at: node.location,
        help: "a vendor's request to the device or to an interface; 0xc0 and 0xc1 have an answer")
      return nil
    }
    return type
  }

  private mutating func vendorAnswer(
    _ node: JSONNode, _ requestType: UInt8?
  ) -> USBVendorRequest.Answer? {
    let isToDevice = requestType.map { $0 & 0x80 == 0 } ?? false
    if let stall = node["stall"] {
      guard isTrue(stall, "stall") else { return nil }
      if node["answer"] != nil {
        problems.add(
          "\"stall\" cannot be combined with \"answer\"", at: stall.location,
          help: "remove one of them")
      }
      return .stall
    }
    guard let answer = node["answer"] else {
      // The problem of a wrong type is enough.
      guard !isToDevice, node["requestType"] == nil || requestType != nil else { return .data([]) }
      problems.add(
        "the request has neither \"answer\" nor \"stall\"", at: node.location,
        help: "add \"answer\": \"…\", or \"stall\": true to refuse it")
      return nil
    }
    guard let bytes = problems.bytes(answer, "the answer") else { return nil }
    guard !isToDevice || bytes.isEmpty else {
      problems.add(
        "\"answer\" is not allowed here: the answer to a request of type "
          + "0x\(String(requestType ?? 0, radix: 16)) has no bytes", at: answer.location,
        help: "remove it; \"stall\": true refuses the request")
      return nil
    }
    guard bytes.count <= USBIP.longestTransfer else {
      problems.add(
        "the answer is \(bytes.count) bytes long, and the limit is \(USBIP.longestTransfer)",
        at: answer.location, help: "shorten it")
      return nil
    }
    return .data(bytes)
  }

  private mutating func extraInterfaces(_ node: JSONNode) -> [[UInt8]] {
    guard let elements = problems.elements(node, "the extra interfaces") else { return [] }
    guard elements.count <= USBSettings.maximumExtraInterfaceCount else {
      problems.add(
        "the device has \(elements.count) extra interfaces; expected at most "
          + "\(USBSettings.maximumExtraInterfaceCount)", at: node.location)
      return []
    }
    return elements.compactMap { problems.bytes($0, "an extra interface") }
  }
}

// MARK: - Checks of the whole device

extension DeviceFileReader {
  /// Checks what depends on the speed, and on other parts of the file.
  ///
  /// Does nothing if the file has problems, which could be the causes of others.
  mutating func checkUSB(_ device: HIDDeviceDefinition, _ root: JSONNode) {
    guard problems.all.isEmpty else { return }
    var nodes = [root]
    if case .array(let elements) = root["interfaces"]?.value { nodes = elements }
    let sections = nodes.map { $0["usb"] }
    guard let section = root["usb"] ?? sections.lazy.compactMap(\.self).first else { return }
    let usb: USBDeviceDescription
    do throws(HIDBusError) {
      usb = try device.usbDescription()
    } catch {
      problems.add(error.message, at: section.location, help: "remove \"usb\"")
      return
    }
    for section in sections {
      guard let section else { continue }
      checkEndpoint(section, at: usb.speed)
      if let output = section["output"] { checkEndpoint(output, at: usb.speed) }
    }
    if case .object(let strings) = section["strings"]?.value {
      for string in strings {
        guard let index = NumberText.integer(string.key, as: Int.self), index <= usb.textCount
        else {
          continue
        }
        problems.add(
          "string \(index) is one of the strings 1 to \(usb.textCount) that the device has anyway",
          at: string.location, help: "use another index")
      }
    }
    if case .array(let extras) = section["extraInterfaces"]?.value {
      checkExtraInterfaces(extras, of: usb)
    }
  }

  private mutating func checkEndpoint(_ section: JSONNode, at speed: USBSpeed) {
    func check(_ key: String, _ what: String, _ range: ClosedRange<Int>) {
      guard let node = section[key], let value = problems.integer(node, what, in: 0...1_024),
        !range.contains(value)
      else { return }
      problems.add(
        "\(what) is \(value); expected \(range.lowerBound) to \(range.upperBound) at "
          + "\(speed.rawValue) speed", at: node.location)
    }
    check("interval", "the interval", speed.intervals)
    check("packetSize", "the packet size", 1...speed.longestPacket)
  }

  private mutating func checkExtraInterfaces(_ nodes: [JSONNode], of usb: USBDeviceDescription) {
    var taken = Set(usb.endpointAddresses)
    for (index, (node, bytes)) in zip(nodes, usb.extraInterfaces).enumerated() {
      do throws(USBExtraInterface.Fault) {
        let interface = try USBExtraInterface(bytes, number: usb.interfaces.count + index)
        if let endpoint = interface.endpoints.first(where: { taken.contains($0) }) {
          problems.add(
            "extra interface \(index + 1) has the endpoint 0x\(String(endpoint, radix: 16)), which "
              + "another interface has", at: node.location,
            help: "HID interfaces have the endpoints 1 to \(usb.interfaces.count)")
        }
        taken.formUnion(interface.endpoints)
      } catch {
        problems.add("extra interface \(index + 1): \(error.message)", at: node.location)
      }
    }
  }
}
