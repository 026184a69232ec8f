// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText

/// Two devices, with modifiers, keys, X and Y as input, LEDs as output, and feature report 3.
private let devices: [HIDDeviceDefinition] = {
  let file = """
    {"hidsim": 1, "name": "d", "vendorID": 1, "productID": 2, "interfaces": [
     {"name": "keyboard", "reportDescriptor": {"hex": "05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 95 05 05 08 19 01 29 05 91 02 95 01 75 03 91 01 95 06 75 08 25 65 05 07 19 00 29 65 81 00 c0"}},
     {"name": "pad", "state": {"mode": {"type": "u8"}},
      "reportDescriptor": {"hex": "05 01 09 02 a1 01 85 01 09 30 09 31 15 81 25 7f 75 08 95 02 81 06 85 03 05 06 09 20 15 00 25 64 95 01 b1 02 c0"}}]}
    """
  let device = try? HIDDeviceFile.parse(Array(file.utf8), name: "d") { _ in [] }
  return device.map { [$0, $0] } ?? []
}()

/// Checks that any text is read as a script or refused with locations; its names may be unknown.
@c(LLVMFuzzerTestOneInput)
public func script(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  do throws(HIDScriptError) {
    let script = try HIDScript.parse(bytes, name: "s", variables: ["a": "tap b"]) { _ in bytes }
    _ = try script.resolved(for: Array(devices.prefix(1)))
    _ = try script.resolved(for: devices)
  } catch {
    expect((1...20).contains(error.problems.count), "\(error.problems.count) problems")
    for problem in error.problems {
      expect(problem.location.line > 0 && !problem.message.isEmpty, "a problem without a place")
    }
  }
  return 0
}
