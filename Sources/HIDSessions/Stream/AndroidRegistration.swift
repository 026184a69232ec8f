// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
import HIDTraces

/// A device that a command of Android's `hid` program registers, as it is simulated.
struct AndroidRegistration: Sendable {
  let definition: HIDDeviceDefinition
  /// The answers to get requests, by report number; `nil` if get requests get no answer.
  let featureReports: [UInt8: [UInt8]]?
  /// The parts of the registration that are not simulated, a sentence each.
  private(set) var notes: [String] = []

  /// Creates the device that a command registers.
  ///
  /// - Parameters:
  ///   - id: The number of the device, part of its name and serial number if the command gives
  ///     none.
  ///   - file: The name of the stream in messages.
  /// - Throws: A problem if the report descriptor is not valid.
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

  /// Returns the behaviours that answer an output report with an input report.
  ///
  /// A response begins with its ID if input reports are numbered. A response that fits no input
  /// report gets no behaviour, but a sentence in `notes`.
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
      // A host can send more bytes than the output report declares, so no length is compared here.
      behaviours.append(
        HIDBehaviour(
          trigger: .output(HIDBytePattern(output.output.map { $0 }), by: .output),
          sendings: [
            HIDBehaviour.Sending(
              id: id, bytes: HIDReportTemplate(Array(response.dropFirst(layout.payloadOffset))))
          ]))
    }
    return behaviours
  }
}
