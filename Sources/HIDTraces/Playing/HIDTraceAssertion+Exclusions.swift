// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDTraceAssertion {
  /// Creates an empty assertion that does not compare the parts that vary from run to run.
  ///
  /// - Parameters:
  ///   - options: The options of the assertion.
  ///   - exclusions: The parts of reports that are not compared.
  ///   - devices: The devices of the trace.
  /// - Throws: An exclusion that names a control which no device has, or a usage of an array.
  public init(
    _ options: Options, except exclusions: [HIDTraceExclusion], of devices: [HIDTraceDevice]
  ) throws(HIDTraceExclusion.Failure) {
    var found: Set<Int> = []
    var masks: [(mask: TraceMask, descriptor: HIDReportDescriptor?)] = []
    for device in devices {
      let descriptor = try? HIDReportDescriptor(parsing: device.descriptor)
      masks.append((try TraceMask(exclusions, on: descriptor, found: &found), descriptor))
    }
    for (place, exclusion) in exclusions.enumerated() where !found.contains(place) {
      guard case .control(let name) = exclusion.part else { continue }
      throw .unknown(control: name, of: "no device of the trace")
    }
    self.init(options) { [masks] event in
      guard masks.indices.contains(event.device) else { return event.kind }
      return masks[event.device].mask.compared(
        event.kind, on: masks[event.device].descriptor)
    }
  }
}
