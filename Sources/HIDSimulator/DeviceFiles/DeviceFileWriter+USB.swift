// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
internal import HIDText

// The section `usb`.
extension DeviceFileWriter {
  /// Returns the keys about the device; none if nothing differs from the derived device.
  ///
  /// - Parameter indent: The number of blanks before the key `usb`.
  func usbMembers(_ settings: USBSettings, indent: Int) -> [String] {
    var members: [String] = []
    if let speed = settings.speed { members.append(member("speed", quoted(speed.rawValue))) }
    if let usbVersion = settings.usbVersion {
      members.append(member("usbVersion", version(usbVersion)))
    }
    if let deviceClass = settings.deviceClass {
      let bytes = [deviceClass.code, deviceClass.subclass, deviceClass.protocolCode]
      members.append(member("class", JSONText.bytes(bytes).text))
    }
    if let product = settings.product { members.append(member("product", quoted(product))) }
    if let power = settings.maximumPower { members.append(member("power", "\(power)")) }
    if settings.isSelfPowered { members.append(member("selfPowered", "true")) }
    if settings.wakesHosts { members.append(member("remoteWakeup", "true")) }
    let texts = settings.strings.mapValues { quoted($0) }
    let raw = settings.rawStrings.mapValues { line([member("hex", JSONText.bytes($0).text)]) }
    let strings = texts.merging(raw) { _, raw in raw }.sorted { $0.key < $1.key }
    if !strings.isEmpty {
      members.append(
        member(
          "strings", object(strings.map { member("\($0.key)", $0.value) }, indent: indent + 2)))
    }
    if !settings.requests.isEmpty {
      members.append(
        member("requests", list(settings.requests.map { request($0) }, indent: indent + 2)))
    }
    if !settings.extraInterfaces.isEmpty {
      let interfaces = settings.extraInterfaces.map { JSONText.bytes($0).text }
      members.append(member("extraInterfaces", list(interfaces, indent: indent + 2)))
    }
    return members
  }

  /// Returns the keys about an interface; none if nothing differs from the derived interface.
  func usbMembers(_ settings: USBInterfaceSettings) -> [String] {
    var members: [String] = []
    if settings.hidVersion != USBInterfaceDescription.usualHIDVersion {
      members.append(member("hidVersion", version(settings.hidVersion)))
    }
    if settings.boot != .none { members.append(member("boot", quoted("\(settings.boot)"))) }
    members += endpoint(settings.interval, settings.packetByteCount)
    switch settings.output {
    case nil: break
    case .control: members.append(member("output", quoted("control")))
    case .endpoint(nil, nil): members.append(member("output", quoted("endpoint")))
    case .endpoint(let interval, let packetByteCount):
      members.append(member("output", line(endpoint(interval, packetByteCount))))
    }
    if !settings.name.isEmpty { members.append(member("string", quoted(settings.name))) }
    return members
  }

  private func endpoint(_ interval: UInt8?, _ packetByteCount: Int?) -> [String] {
    (interval.map { [member("interval", "\($0)")] } ?? [])
      + (packetByteCount.map { [member("packetSize", "\($0)")] } ?? [])
  }

  private func request(_ request: USBVendorRequest) -> String {
    var members: [String] = []
    if let type = request.requestType { members.append(member("requestType", hex(type))) }
    if let number = request.request { members.append(member("request", hex(number))) }
    if let value = request.value { members.append(member("value", hex(value))) }
    if let index = request.index { members.append(member("index", hex(index))) }
    switch request.answer {
    case .stall: members.append(member("stall", "true"))
    case .data(let bytes):
      // A request to the device needs no answer.
      let isToDevice = request.requestType.map { $0 & 0x80 == 0 } ?? false
      if !isToDevice || !bytes.isEmpty {
        members.append(member("answer", JSONText.bytes(bytes).text))
      }
    }
    return line(members)
  }
}
