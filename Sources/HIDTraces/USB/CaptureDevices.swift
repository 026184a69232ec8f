// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The HID interfaces of a capture as devices of a trace, and the assignment of traffic to them.
struct CaptureDevices: Sendable {
  private struct Place: Hashable {
    var device: Int
    var number: UInt8
  }

  private(set) var devices: [HIDTraceDevice] = []
  private(set) var warnings: [HIDTextProblem] = []
  private var interfaces: [Place: Int] = [:]
  private var endpoints: [Place: Int] = [:]
  private var alone: [Int: Int] = [:]

  /// Creates the devices of a capture that was read to its end.
  init(
    _ traffic: CaptureTraffic, _ source: HIDTraceSource, _ options: HIDTraceReadingOptions
  ) throws(HIDTraceError) {
    let records = traffic.enumeration.devices
    let found = records.indices.flatMap { CaptureInterface.all(of: records[$0], at: $0) }
    let idle = found.filter { $0.descriptor == nil && $0.traffic == nil }
    var used = found.filter { $0.descriptor != nil || $0.traffic != nil }
      .sorted { ($0.line, $0.device, $0.number) < ($1.line, $1.device, $1.number) }
    let report = CaptureDeviceReport(
      source: source, records: records, canGiveDescriptors: options.canGiveDescriptors)
    warnings = idle.map(report.idle)
    guard !used.isEmpty else {
      throw HIDTraceError(report.nothing(packetCount: traffic.packetCount, idle: idle.first))
    }
    try Self.complete(&used, with: options.descriptors, report, &warnings)
    guard used.count <= HIDTraceReader.maximumDeviceCount else {
      throw HIDTraceError(
        source.problem(
          "the capture has \(used.count) HID interfaces, but a trace can have at most "
            + "\(HIDTraceReader.maximumDeviceCount) devices"))
    }
    let counts = Dictionary(grouping: used, by: \.device).mapValues(\.count)
    let captured = counts.keys.reduce(into: [Int: CapturedUSBDevice]()) {
      $0[$1] = records[$1].captured(at: $1)
    }
    for interface in used {
      add(
        interface, records[interface.device], hasSiblings: counts[interface.device, default: 1] > 1)
      guard let device = captured[interface.device] else { continue }
      devices[devices.count - 1].usb = CapturedUSBInterface(
        device: device, number: interface.number)
    }
  }

  /// Returns the index in ``devices`` to which the endpoint of a packet belongs; nil if there is
  /// none.
  ///
  /// - Parameters:
  ///   - packet: The packet.
  ///   - device: The index of the USB device in the capture.
  func device(of packet: USBPacket, at device: Int) -> Int? {
    endpoints[Place(device: device, number: packet.endpoint)]
  }

  /// Returns the index in ``devices`` to which a report request belongs; nil if there is none.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - device: The index of the USB device in the capture.
  func device(of request: USBSetup.ReportRequest, at device: Int) -> Int? {
    interfaces[Place(device: device, number: request.interface)] ?? alone[device]
  }

  /// Gives report descriptors to interfaces whose own was not completely captured, and removes the
  /// interfaces that get none.
  ///
  /// - Throws: A problem if there are more report descriptors than such interfaces. A problem for
  ///   each interface that gets none, if no other interface is left, or if one of them has a
  ///   partly captured report descriptor.
  private static func complete(
    _ interfaces: inout [CaptureInterface], with descriptors: [[UInt8]],
    _ report: CaptureDeviceReport, _ warnings: inout [HIDTextProblem]
  ) throws(HIDTraceError) {
    let missing = interfaces.indices.filter { !interfaces[$0].isDescribed }
    guard descriptors.count <= missing.count else {
      throw HIDTraceError(report.tooMany(descriptors.count, for: missing.count))
    }
    for (place, descriptor) in zip(missing, descriptors) {
      interfaces[place].descriptor = USBDeviceRecord.ReportDescriptor(
        bytes: descriptor, byteCount: descriptor.count, number: interfaces[place].line)
    }
    let left = missing.dropFirst(descriptors.count).map { interfaces[$0] }
    let problems = left.map { report.missing($0, of: missing.count) }
    if left.count == interfaces.count || left.contains(where: { $0.descriptor != nil }) {
      throw HIDTraceError(problems: Array(problems.prefix(20)))
    }
    warnings += problems.map(report.leftOut)
    interfaces.removeAll { !$0.isDescribed }
  }

  private mutating func add(
    _ interface: CaptureInterface, _ record: USBDeviceRecord, hasSiblings: Bool
  ) {
    let name = record.product ?? record.fallbackName
    let place = devices.count
    devices.append(
      HIDTraceDevice(
        number: place, descriptor: interface.descriptor?.bytes ?? [],
        name: hasSiblings ? "\(name) interface \(interface.number)" : name,
        physicalPath:
          "usb-\(record.address.bus).\(record.address.device)/input\(interface.number)",
        serialNumber: record.serialNumber?.text,
        identity: record.descriptor.map {
          HIDTraceDevice.Identity(busType: 3, vendorID: $0.vendorID, productID: $0.productID)
        },
        versionNumber: record.descriptor?.release, line: interface.line))
    interfaces[Place(device: interface.device, number: interface.number)] = place
    if interface.isAlone { alone[interface.device] = place }
    for number in UInt8(0)..<16 {
      let bit = UInt16(1) << UInt16(number)
      if interface.inputs & bit != 0 {
        endpoints[Place(device: interface.device, number: number | 0x80)] = place
      }
      if interface.outputs & bit != 0 {
        endpoints[Place(device: interface.device, number: number)] = place
      }
    }
  }
}
