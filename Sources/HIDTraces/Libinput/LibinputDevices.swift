// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The HID devices of a recording, made of its entries, each of which is an evdev node.
struct LibinputDevices {
  private(set) var devices: [HIDTraceDevice] = []
  private(set) var warnings: [HIDTextProblem] = []
  /// For each entry: the hidraw nodes whose reports are taken from it, with the index of the
  /// device.
  private(set) var owned: [[Int: Int]]

  // The number of the hidraw node of each device; nil for a device without reports.
  private var nodes: [Int?] = []
  // The entry from which each device was made and from which its reports are taken.
  private var entries: [LibinputOutline.Entry] = []

  init(_ outline: LibinputOutline, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    owned = Array(repeating: [:], count: outline.entries.count)
    let file = outline.file
    for entry in outline.entries {
      if entry.nodes.isEmpty, entry.descriptor == nil {
        warnings.append(
          outline.problem(
            "\(entry.title) has no report descriptor and no HID reports; it is left out", entry))
      } else if entry.nodes.isEmpty {
        try add(entry, node: nil, outline)
      }
      for node in entry.nodes where !unite(entry, node) {
        owned[entry.index][node] = devices.count
        try add(entry, node: node, outline)
      }
    }
    guard !devices.isEmpty else {
      var problem =
        outline.cut
        ?? HIDTextProblem(
          file: file, location: .start,
          message: "no device of the recording has a report descriptor or HID reports")
      problem.help = "record a HID device with: libinput record --with-hidraw"
      throw HIDTraceError(problem)
    }
    try supply(options, outline)
    if owned.allSatisfy(\.isEmpty) {
      warnings.append(
        HIDTextProblem(
          file: file, location: .start, message: "the recording has no HID reports",
          help: "record again with: libinput record --with-hidraw"))
    }
  }

  /// Returns whether an earlier entry is already the device of a hidraw node.
  ///
  /// A device with a different report descriptor does not count. If the device has no report
  /// descriptor, it gets that of `entry`.
  private mutating func unite(_ entry: LibinputOutline.Entry, _ node: Int) -> Bool {
    for index in devices.indices where nodes[index] == node {
      if let descriptor = entry.descriptor {
        guard devices[index].descriptor.isEmpty || devices[index].descriptor == descriptor else {
          continue
        }
        if devices[index].descriptor.isEmpty {
          devices[index].descriptor = descriptor
          devices[index].line = entry.descriptorLine
        }
      }
      return true
    }
    return false
  }

  private mutating func add(
    _ entry: LibinputOutline.Entry, node: Int?, _ outline: LibinputOutline
  ) throws(HIDTraceError) {
    guard devices.count < HIDTraceReader.maximumDeviceCount else {
      throw HIDTraceError(
        outline.problem(
          "the recording has more than \(HIDTraceReader.maximumDeviceCount) HID devices", entry))
    }
    var device = HIDTraceDevice(
      number: entry.index, descriptor: entry.descriptor ?? [], name: entry.name,
      identity: entry.identity,
      line: entry.descriptor == nil ? entry.line.number : entry.descriptorLine)
    // The version of an evdev node on USB is that of the HID specification. Some drivers of
    // gamepads set its highest bit.
    if entry.identity?.busType == 3 {
      device.hidVersion = entry.version.map { $0 & 0x7FFF }
    } else {
      device.versionNumber = entry.version
    }
    devices.append(device)
    nodes.append(node)
    entries.append(entry)
  }

  /// Gives the caller's report descriptors to the devices that have none, in order.
  ///
  /// Adds a warning if report descriptors are left over.
  ///
  /// - Throws: The devices that still have none, up to twenty.
  private mutating func supply(
    _ options: HIDTraceReadingOptions, _ outline: LibinputOutline
  ) throws(HIDTraceError) {
    var rest = options.descriptors[...]
    var problems: [HIDTextProblem] = []
    for index in devices.indices where devices[index].descriptor.isEmpty {
      if let descriptor = rest.popFirst() {
        devices[index].descriptor = descriptor
      } else if problems.count < 20 {
        problems.append(
          outline.problem(
            "\(entries[index].title) has HID reports but no report descriptor", entries[index],
            help: (options.canGiveDescriptors ? "give it with --descriptor FILE, or " : "")
              + "record again with: libinput record --with-hidraw"))
      }
    }
    guard problems.isEmpty else { throw HIDTraceError(problems: problems) }
    if !rest.isEmpty { warnings.append(unusedDescriptors(rest.count, in: outline.file)) }
  }
}

extension LibinputOutline {
  /// Returns a problem of an entry.
  func problem(_ message: String, _ entry: Entry, help: String? = nil) -> HIDTextProblem {
    HIDTextProblem(
      file: file, location: HIDTextLocation(line: entry.line.number, column: 1), message: message,
      help: help)
  }
}
