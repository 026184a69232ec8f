// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
public import HIDTraces
internal import HIDBus
internal import IOLoop

extension HIDDeviceDefinition {
  /// Returns the reports that have their declared length, and the undeclared output and feature
  /// reports.
  ///
  /// Undeclared reports are included because drivers also ask for them. If a report is given twice,
  /// the last one is returned.
  private static func reports(
    _ reports: [HIDTraceInitialReport], of descriptor: HIDReportDescriptor
  ) -> [HIDInitialReport] {
    var initial: [HIDInitialReport] = []
    for report in reports {
      if let layout = descriptor.report(report.type, id: report.id) {
        guard layout.byteCount == report.bytes.count else { continue }
      } else if report.type == .input {
        continue
      }
      initial.removeAll { $0.type == report.type && $0.id == report.id }
      initial.append(
        HIDInitialReport(type: report.type, id: report.id, bytes: [UInt8](report.bytes)))
    }
    return initial
  }

  /// Returns the devices of a trace in its order, each with one interface.
  ///
  /// A name or serial number is cut to the longest that the kernel takes. Each control character in
  /// it becomes a space. Missing data of a trace is replaced: by `recorded device` for the name,
  /// USB for the bus, and 0 for the numbers.
  ///
  /// - Parameters:
  ///   - recorded: The devices of the trace.
  ///   - name: The name of the trace in messages.
  /// - Throws: `HIDTraceError` with a problem for each reason to refuse the descriptor of a device.
  public static func devices(
    of recorded: [HIDTraceDevice], name: String
  ) throws(HIDTraceError) -> [HIDDeviceDefinition] {
    var problems: [HIDTextProblem] = []
    var devices: [HIDDeviceDefinition] = []
    for device in recorded {
      let location = HIDTextLocation(line: max(1, device.line), column: 1)
      do throws(HIDReportDescriptorError) {
        let descriptor = try HIDReportDescriptor(parsing: device.descriptor)
        var interface = HIDInterfaceDefinition(
          descriptor: descriptor, initialReports: reports(device.reports, of: descriptor),
          location: location)
        if let version = device.hidVersion { interface.usb.hidVersion = version }
        devices.append(
          HIDDeviceDefinition(
            name: HIDDeviceFile.name(from: device.name ?? "") ?? "recorded device",
            vendorID: device.identity?.vendorID ?? 0,
            productID: device.identity?.productID ?? 0,
            versionNumber: device.versionNumber ?? 0,
            serialNumber: device.serialNumber.flatMap {
              HIDDeviceFile.showable(
                $0, maximumByteCount: HIDDeviceFile.maximumSerialNumberByteCount)
            },
            transport: HIDTransport(busType: device.identity?.busType ?? 3),
            interfaces: [interface]))
      } catch {
        for reason in error.reasons(in: device.descriptor) {
          problems.append(
            HIDTextProblem(
              file: name, location: location,
              message:
                "the kernel would not start device \(device.number): \(reason.description)",
              help: reason.fix))
        }
      }
    }
    guard problems.isEmpty else { throw HIDTraceError(problems: problems) }
    return devices
  }
}

extension HIDDeviceFile {
  /// Returns the text cut to the maximum length of a name, with spaces for control characters.
  ///
  /// The result is `nil` if it would be empty.
  static func name(from text: String) -> String? {
    showable(text, maximumByteCount: maximumNameByteCount)
  }

  /// Returns the text cut to a number of bytes of UTF-8, with spaces for control characters.
  ///
  /// The result is `nil` if it would be empty.
  static func showable(_ text: String, maximumByteCount: Int) -> String? {
    var result = ""
    for character in text {
      let shown = character.unicodeScalars.contains(where: \.isControl) ? " " : character
      guard result.utf8.count + shown.utf8.count <= maximumByteCount else { break }
      result.append(shown)
    }
    return result.isEmpty ? nil : result
  }
}
