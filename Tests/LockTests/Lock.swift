// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDBus

/// A lock with a feature report of eight bytes.
///
/// A get returns a challenge, and a set must send it in reverse.
final class Lock: Sendable {
  private let log = HIDEventLog()
  private let device: SimulatedDevice

  init() throws {
    let file = """
      {"hidsim": 1, "name": "lock", "vendorID": "0x1209", "productID": "0x0008",
       "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 08 09 01 81 02 09 02 b1 02 c0"}}
      """
    let definition = try HIDDeviceFile.parse(Array(file.utf8), name: "lock") { _ in [] }
    device = SimulatedDevice.make([definition], log: log)[0]
  }

  /// Plugs the lock, and serves it until the task is cancelled; then it is gone.
  func serve(on bus: HIDBus) async throws {
    device.delegate(HIDDelegation())
    try await device.plug(into: bus)
    var challenge: [UInt8] = []
    var next = 0
    while await log.wait(for: next) {
      for event in log.read(from: &next).events {
        guard case .request(let request) = event.kind else { continue }
        guard let bytes = request.bytes else {
          challenge = (0..<8).map { _ in UInt8.random(in: 1...255) }
          device.answer(request.number, with: .report(challenge))
          continue
        }
        let isRight = bytes == challenge.reversed()
        device.answer(request.number, with: isRight ? .acknowledged : .error)
        if isRight { try await device.send([[1, 0, 0, 0, 0, 0, 0, 0]]) }
      }
    }
    await device.unplug()
  }
}
