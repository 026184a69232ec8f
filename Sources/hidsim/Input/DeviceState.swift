// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText

/// The states, named controls and switches of one interface of a simulated device, as reported by
/// the hidsim that plugged it.
struct DeviceState: Sendable {
  /// A control that the device file names.
  struct Control: Sendable {
    let name: String
    /// The usage of the control in reports, or the position of its bits.
    let place: String
  }

  /// A switch of the device file.
  struct Switch: Sendable {
    let name: String
    let isDown: Bool
    /// The names of the controls that the switch presses in this state.
    let presses: [String]

    fileprivate init(name: String, _ node: JSONNode) {
      self.name = name
      isDown = node["down"]?.value == .bool(true)
      guard case .array(let names)? = node["presses"]?.value else {
        presses = []
        return
      }
      presses = names.compactMap {
        if case .string(let name) = $0.value { name } else { nil }
      }
    }
  }

  /// The names and values of the interface's states.
  var values: [(name: String, value: JSONText)] = []
  /// The controls that the device file names.
  var controls: [Control] = []
  /// The switches, in the order of the device file.
  var switches: [Switch] = []

  /// Requests the state of an interface from the hidsim that plugged the device.
  ///
  /// The result is empty if the device is not simulated, and if there is no such process or no
  /// answer. It is also empty, after a warning, if the process refuses, or if this process lacks
  /// descriptors or memory.
  init(of record: HIDDeviceRecord) {
    guard record.isOurs, let directory = try? BusDirectory.shared() else { return }
    func warn(_ reason: String) {
      Output.shared.note("warning: the state of the device is not shown: \(reason)")
    }
    var client: DriveClient
    do throws(DriveClient.NotFound) {
      client = try DriveClient.find(record.id, in: directory)
    } catch {
      switch error {
      case .refused(let message):
        warn("the hidsim that has plugged it refuses: \(message)")
      case .lacking(let error): warn("\(error)")
      case .notPlugged, .notResponding: break
      }
      return
    }
    let label = client.label
    let answer = client.command("state") { $0.add("device", .string(label)) }
    guard case .array(let interfaces)? = answer?["interfaces"]?.value else { return }
    if case .object(let members)? = interfaces.first?["state"]?.value {
      values = members.compactMap { member in
        switch member.value.value {
        case .integer(let number): (member.key, .integer(number))
        case .string(let bytes): (member.key, .string(bytes))
        default: nil
        }
      }
    }
    if case .object(let members)? = interfaces.first?["controls"]?.value {
      controls = members.map { Control(name: $0.key, place: Self.place($0.value)) }
    }
    if case .object(let members)? = interfaces.first?["switches"]?.value {
      switches = members.map { Switch(name: $0.key, $0.value) }
    }
  }

  private static func place(_ node: JSONNode) -> String {
    if case .string(let usage)? = node["usage"]?.value { return usage }
    func number(_ key: String) -> Int? {
      if case .integer(let number)? = node[key]?.value { number } else { nil }
    }
    guard case .string(let type)? = node["type"]?.value, let bit = number("bit"),
      let size = number("size"), (0...1 << 20).contains(bit), (1...1 << 20).contains(size)
    else { return "?" }
    let report = number("report").map { " \($0)" } ?? ""
    return "\(type) report\(report), bit\(size == 1 ? " \(bit)" : "s \(bit)-\(bit + size - 1)")"
  }
}
