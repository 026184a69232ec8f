// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDSimulator
import HIDText

/// Checks that any text is read as a device, or refused with locations.
///
/// A device that was read must be the same after it is written and read again.
@c(LLVMFuzzerTestOneInput)
public func deviceFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  do throws(HIDDeviceFileError) {
    let device = try HIDDeviceFile.parse(bytes, name: "f") { _ in [0x05, 0x01] }
    let text = HIDDeviceFile.write(device)
    do throws(HIDDeviceFileError) {
      let again = try HIDDeviceFile.parse(text, name: "again") { _ in [] }
      expect(
        placeless(again) == placeless(device),
        "not the same: \(String(decoding: text, as: UTF8.self))")
    } catch {
      expect(
        false, "what was written is refused: \(error) \(String(decoding: text, as: UTF8.self))")
    }
  } catch {
    expect((1...20).contains(error.problems.count), "\(error.problems.count) problems")
    for problem in error.problems {
      expect(problem.location.line > 0 && !problem.message.isEmpty, "a problem without a place")
    }
  }
  return 0
}

/// Returns the device without the locations of its interfaces in the file.
private func placeless(_ device: HIDDeviceDefinition) -> HIDDeviceDefinition {
  var device = device
  for index in device.interfaces.indices { device.interfaces[index].location = .start }
  return device
}
