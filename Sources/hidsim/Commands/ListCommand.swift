// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSessions
import HIDSimulator
import HIDText

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all HID devices, real and simulated.",
    discussion: """
      One line per device: number, node, vendor:product, transport, kind (from the first usage), name, serial number, and \
      "(simulated)" if a hidsim has plugged it.
      """)

  @OptionGroup var busOptions: BusOptions
  @Flag(help: "Print one JSON object a line.") var json = false

  func run() async throws {
    try await reporting {
      let devices = try await busOptions.devices().map(\.record)
      for (index, device) in devices.enumerated() {
        if json {
          var line = JSONLine()
          line.add("event", "device")
          line.add("index", .integer(index + 1))
          EventJSON.addRecord(device, to: &line)
          Output.shared.print(line)
        } else {
          Output.shared.print(DeviceArgument.line(device, index: index + 1))
        }
      }
      if devices.isEmpty, !json { Output.shared.note("no HID devices") }
    }
  }
}

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema of device files.",
    discussion: """
      The schema is of draft 2020-12, for editors and validators. It cannot check the report descriptor: hidsim lint does.

        hidsim schema > device-1.json
        check-jsonschema --schemafile device-1.json my.json
      """)

  func run() async throws {
    try await reporting { Output.shared.write(try InputFiles.schema().bytes) }
  }
}

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the device files that come with hidsim.",
    discussion: """
      hidsim run NAME plugs one of them, from any folder.
      """)

  @Flag(help: "Print one JSON object a line.") var json = false

  func run() async throws {
    try await reporting {
      for file in InputFiles.library() {
        let name = file.name
        let devices = try InputFiles.devices(in: file)
        for device in devices {
          let count = device.interfaces.count
          if json {
            var line = JSONLine()
            line.add("event", "file")
            line.add("device", .string(device.name))
            line.add("file", .string(name))
            line.add("interfaces", .integer(count))
            Output.shared.print(line)
            continue
          }
          let suffix = count > 1 ? ", \(count.counting("interface"))" : ""
          Output.shared.print("\(name)  \"\(device.name)\"\(suffix)")
        }
      }
    }
  }
}
