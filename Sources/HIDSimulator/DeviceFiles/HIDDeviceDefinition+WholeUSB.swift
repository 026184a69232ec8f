// SPDX-License-Identifier: Apache-2.0

internal import HIDBus
package import HIDText
package import HIDTraces

/// The devices of a trace, each USB device of a capture as a whole.
package struct WholeTraceDevices: Sendable {
  /// The devices, with the interfaces of a USB device in the order of their numbers.
  package let definitions: [HIDDeviceDefinition]
  /// The device and the interface for each device of the trace, as indices of ``definitions``.
  package let targets: [(device: Int, interface: Int)]
  /// The warnings about what the capture does not have.
  package let warnings: [HIDTextProblem]
}

extension HIDDeviceDefinition {
  /// Returns the devices of a trace, with the interfaces of a captured USB device as one device.
  ///
  /// A captured USB device has its own descriptors if the capture has them. Otherwise hidsim
  /// derives them, for each interface as a device of its own.
  ///
  /// - Parameters:
  ///   - recorded: The devices of the trace.
  ///   - name: The name of the trace in messages.
  ///   - isCapture: True if the trace is a capture of USB packets.
  /// - Throws: The errors of ``devices(of:name:)``.
  package static func wholeDevices(
    of recorded: [HIDTraceDevice], name: String, isCapture: Bool
  ) throws(HIDTraceError) -> WholeTraceDevices {
    let single = try devices(of: recorded, name: name)
    var definitions: [HIDDeviceDefinition] = []
    var targets = [(device: Int, interface: Int)](repeating: (0, 0), count: recorded.count)
    var warnings: [HIDTextProblem] = []
    var isPlaced = [Bool](repeating: false, count: recorded.count)
    func warn(_ message: String, _ place: Int) {
      warnings.append(
        HIDTextProblem(
          file: name, location: single[place].interfaces[0].location,
          message: "\"\(single[place].name)\": \(message)"))
    }
    for place in recorded.indices where !isPlaced[place] {
      guard let usb = recorded[place].usb else {
        if isCapture {
          warn("the capture has no descriptors of the USB device; hidsim derives them", place)
        }
        targets[place] = (definitions.count, 0)
        definitions.append(single[place])
        continue
      }
      let members = recorded.indices
        .filter { recorded[$0].usb?.device.index == usb.device.index }
        .sorted { recorded[$0].usb?.number ?? 0 < recorded[$1].usb?.number ?? 0 }
      let layout: USBLayout
      do throws(USBLayout.Fault) {
        layout = try usb.device.layout(
          ofInterfaces: members.compactMap { recorded[$0].usb?.number })
      } catch {
        warn("\(error.message); hidsim derives the descriptors of the USB device", place)
        for member in members {
          isPlaced[member] = true
          targets[member] = (definitions.count, 0)
          definitions.append(single[member])
        }
        continue
      }
      var definition = single[place]
      definition.name = HIDDeviceFile.name(from: usb.device.name) ?? definition.name
      definition.interfaces = members.map { single[$0].interfaces[0] }
      definition.usb.layout = layout
      definition.usb.speed = layout.speed(intervals: usb.device.intervals)
      for (index, member) in members.enumerated() {
        isPlaced[member] = true
        targets[member] = (definitions.count, index)
      }
      definitions.append(definition)
      if let words = Self.missing(layout) { warn(words, place) }
    }
    return WholeTraceDevices(definitions: definitions, targets: targets, warnings: warnings)
  }

  /// Returns the warning about strings that the descriptors name and the capture does not have; nil
  /// if there are none.
  private static func missing(_ layout: USBLayout) -> String? {
    let named =
      layout.device[14...16] + [layout.configuration[6]] + layout.interfaces.map(\.string)
    let missing = Set(named).filter { index in
      index != 0
        && layout.answer(.init(requestType: 0x80, value: 0x0300 | UInt16(index), index: 0)) == nil
    }.sorted()
    guard !missing.isEmpty else { return nil }
    let words = missing.map(String.init).joined(separator: ", ")
    let what = missing.count == 1 ? "string \(words)" : "the strings \(words)"
    return "the capture does not have \(what); the device refuses to send what is missing"
  }
}

extension CapturedUSBDevice {
  /// Returns the descriptors as a layout.
  ///
  /// - Parameter numbers: The numbers of the HID interfaces that the trace has.
  /// - Throws: The reason why hidsim cannot plug a device with these descriptors.
  fileprivate func layout(ofInterfaces numbers: [UInt8]) throws(USBLayout.Fault) -> USBLayout {
    var answers: [USBLayout.Request: [UInt8]] = [:]
    var configurations: [[UInt8]] = []
    for descriptor in descriptors {
      // A host reads the report descriptor that the definition of the interface has.
      guard descriptor.requestType == 0x80 || descriptor.value >> 8 != 0x22 else { continue }
      answers[
        .init(
          requestType: descriptor.requestType, value: descriptor.value, index: descriptor.index)] =
        descriptor.bytes
      if descriptor.requestType == 0x80, descriptor.value >> 8 == 2 {
        // A device can send more than the descriptor says it has.
        let bytes = descriptor.bytes
        let total = bytes.count > 3 ? Int(bytes[2]) | Int(bytes[3]) << 8 : 0
        configurations.append(Array(bytes.prefix(total)))
      }
    }
    let chosen = configurations.first { $0.count > 5 && $0[5] == configurationValue }
    let device = answers[.init(requestType: 0x80, value: 0x0100, index: 0)] ?? []
    return try USBLayout(
      device: device, configuration: chosen ?? [], interfaces: numbers, answers: answers)
  }
}
