// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDSimulator
import HIDText
import HIDWire

/// What a simulated device remembers under names of its own, as the hidsim says that has plugged it.
enum DeviceState {
  /// The names and values; empty for a device that has none, or of a run that cannot be asked.
  static func values(of record: HIDDeviceRecord) -> [(name: String, value: JSONText)] {
    guard record.isOurs, let directory = try? BusDirectory.shared(),
      var client = try? DriveClient.find(record.id, in: directory)
    else { return [] }
    let label = client.label
    let answer = client.command("state") { $0.add("device", .string(label)) }
    guard case .array(let interfaces)? = answer?["interfaces"]?.value,
      case .object(let members)? = interfaces.first?["state"]?.value
    else { return [] }
    return members.compactMap { member in
      switch member.value.value {
      case .integer(let number): (member.key, .integer(number))
      case .string(let bytes): (member.key, .string(bytes))
      default: nil
      }
    }
  }
}
