// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The messages about missing and surplus report descriptors of the devices of a capture.
///
/// It also makes the problem of a capture without any HID device that can be read.
struct CaptureDeviceReport {
  var source: HIDTraceSource
  var records: [USBDeviceRecord]
  /// True if the caller can give report descriptors.
  var canGiveDescriptors: Bool

  /// Returns the warning about an interface with neither a report descriptor nor reports.
  func idle(_ interface: CaptureInterface) -> HIDTextProblem {
    source.problem(
      "\(title(interface)) has neither a report descriptor nor reports in the capture "
        + "and is left out")
  }

  /// Returns the problem of a capture without any HID device that can be read.
  func nothing(packetCount: Int, idle: CaptureInterface?) -> HIDTextProblem {
    guard packetCount > 0 else { return source.problem("the capture has no packets") }
    let packets = packetCount == 1 ? "packet" : "\(packetCount) packets"
    let what =
      idle.map {
        "no HID device in the \(packets) of the capture can be read: "
          + "\(title($0)) has neither a report descriptor nor reports there"
      } ?? "no HID device is in the \(packets) of the capture"
    return source.problem(
      what, help: "capture on the bus of the device while it is plugged in and used")
  }

  /// Returns the problem of an interface without a complete report descriptor.
  func missing(_ interface: CaptureInterface, of count: Int) -> HIDTextProblem {
    let give =
      count == 1
      ? "give its report descriptor with --descriptor FILE"
      : "give report descriptors with --descriptor FILE, one for each of these devices in this order"
    let or = canGiveDescriptors ? ", or \(give)" : ""
    if let cut = interface.descriptor {
      return source.problem(
        packet: cut.number,
        "holds \(cut.bytes.count) of the \(cut.byteCount) bytes of the report descriptor of "
          + title(interface),
        help: "capture with a longer snapshot length" + or)
    }
    return source.problem(
      packet: interface.line,
      "belongs to \(title(interface)), whose report descriptor is not in the capture; "
        + "the capture probably began after the device was plugged in",
      help: "plug the device in while the capture runs" + or)
  }

  /// Returns a problem as a warning, for an interface that is left out because others can be used.
  func leftOut(_ problem: HIDTextProblem) -> HIDTextProblem {
    var problem = problem
    problem.message += "; the reports of this interface are left out"
    return problem
  }

  /// Returns the problem of more given report descriptors than are needed.
  func tooMany(_ given: Int, for needed: Int) -> HIDTextProblem {
    let needs =
      switch needed {
      case 0: "no device of the capture lacks its report descriptor"
      case 1: "only one device of the capture lacks its report descriptor"
      default: "only \(needed) devices of the capture lack their report descriptors"
      }
    let gift = given == 1 ? "one is" : "\(given) are"
    return source.problem("\(needs), and \(gift) given")
  }

  private func title(_ interface: CaptureInterface) -> String {
    let record = records[interface.device]
    let name = record.product.map { " (\($0))" } ?? ""
    if record.configuration != nil || interface.descriptor != nil {
      return "interface \(interface.number) of \(record.address)\(name)"
    }
    guard interface.inputs != 0 else { return "\(record.address)\(name)" }
    let endpoint = String(0x80 | interface.inputs.trailingZeroBitCount, radix: 16)
    return "\(record.address)\(name), endpoint 0x\(endpoint)"
  }
}
