// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import HIDTraces
import HIDWire
import IOLoop

/// A device that Android's `hid` program registers, as it is simulated.
struct AndroidRegistration: Sendable {
  let definition: HIDDeviceDefinition
  /// What get requests are answered by report number; `nil` where they are never answered.
  let featureReports: [UInt8: [UInt8]]?
  /// What of it is not done, a sentence each.
  private(set) var notes: [String] = []

  /// Takes over what a command registers.
  ///
  /// - Parameters:
  ///   - id: The device's number, by which it goes where it has no name.
  ///   - file: What messages call the stream.
  /// - Throws: That its descriptor makes no sense.
  init(_ device: AndroidDevice, id: Int, file: String) throws(HIDTextProblem) {
    let descriptor: HIDReportDescriptor
    do throws(HIDReportDescriptorError) {
      descriptor = try HIDReportDescriptor(
        parsing: device.descriptor,
        maximumReportByteCount: HIDReportDescriptor.maximumReportByteCount)
    } catch {
      throw HIDTextProblem(
        file: file, location: device.descriptorLocation,
        message: "the descriptor is not valid: \(error)")
    }
    let behaviours = Self.behaviours(device.outputs, descriptor, &notes)
    featureReports = device.featureReports
    definition = HIDDeviceDefinition(
      name: device.name ?? "\(id):\(device.vendorID):\(device.productID)",
      vendorID: device.vendorID, productID: device.productID,
      serialNumber: device.serialNumber ?? "Id: \(id)",
      transport: device.isUSB ? .usb : .bluetooth,
      interfaces: [HIDInterfaceDefinition(descriptor: descriptor, behaviours: behaviours)])
  }

  /// Output reports, each with the input report that answers it; these have their IDs in front.
  private static func behaviours(
    _ outputs: [AndroidDevice.Output], _ descriptor: HIDReportDescriptor, _ notes: inout [String]
  ) -> [HIDBehaviour] {
    var behaviours: [HIDBehaviour] = []
    for output in outputs {
      let response = output.response
      let isNumbered = descriptor.numbersReports(.input)
      let id = isNumbered ? response.first.flatMap(HIDReportID.init(rawValue:)) : nil
      guard let layout = descriptor.report(.input, id: id), response.count <= layout.byteCount
      else {
        // The kernel would drop it too.
        notes.append(
          "the response \(response.hexText) fits no input report of the device; it will not be sent"
        )
        continue
      }
      // What is longer than the output report is declared arrives as it is written; no length is compared here.
      behaviours.append(
        HIDBehaviour(
          trigger: .output(HIDBytePattern(output.output.map { $0 })),
          sendings: [
            HIDBehaviour.Sending(
              id: id, bytes: HIDReportTemplate(Array(response.dropFirst(layout.payloadOffset))))
          ]))
    }
    return behaviours
  }
}
