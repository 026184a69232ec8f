// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

/// Comparison of hidsim's mapping with that of Linux 6.12.117, from uhid, for the corpus.
@Suite(
  "the kernel's event nodes", .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
struct EvdevOracleTests {
  @Test(
    "nodes have the kernel's number, names, events, ranges and properties",
    arguments: [
      (
        EvdevMapping.Driver.generic, "oracle-kernel.jsonl.gz",
        (devices: 715, nodes: 1261, facts: 43_627)
      ),
      (
        .multitouch, "oracle-kernel-multitouch.jsonl.gz", (devices: 229, nodes: 596, facts: 20_104)
      ),
    ])
  func nodes(
    driver: EvdevMapping.Driver, file: String, least: (devices: Int, nodes: Int, facts: Int)
  ) throws {
    var differences: [String] = []
    var found = (devices: 0, nodes: 0, facts: 0)
    for device in try Device.all(file) {
      found.devices += 1
      let theirs = device.evdev ?? []
      let ours = try EvdevMapping(of: device.descriptor(), driver: driver).nodes.map(Node.init)
      if ours.count != theirs.count {
        differences.append("\(device.file): \(ours.count) nodes, kernel \(theirs.count)")
      }
      for (ours, theirs) in zip(ours, theirs) {
        found.nodes += 1
        found.facts += theirs.factCount
        if ours != theirs { differences.append("\(device.file): ours \(ours)\nkernel \(theirs)") }
      }
    }
    #expect(
      found.devices >= least.devices && found.nodes >= least.nodes && found.facts >= least.facts)
    #expect(differences == [], "of \(found)")
  }

  @Test(
    "every usage has the kernel's code, or none where the kernel has none",
    arguments: [
      (EvdevMapping.Driver.generic, "oracle-kernel.jsonl.gz", 207_655),
      (.multitouch, "oracle-kernel-multitouch.jsonl.gz", 38_217),
    ])
  func usages(driver: EvdevMapping.Driver, file: String, least: Int) throws {
    var differences: [String] = []
    var count = 0
    var codes: [String: Set<String>] = [:]
    for device in try Device.all(file) {
      let theirs = device.mappings ?? []
      let descriptor = try device.descriptor()
      let mapping = EvdevMapping(of: descriptor, driver: driver)
      let ours = mapping.outcomesInKernelOrder(of: descriptor)
      if ours.count != theirs.count {
        differences.append("\(device.file): \(ours.count) usages, kernel \(theirs.count)")
      }
      for (ours, theirs) in zip(ours, theirs) {
        count += 1
        switch ours {
        case .event(let code), .dropped(let code): codes[theirs[1], default: []].insert("\(code)")
        case .battery: codes[theirs[1], default: []].insert("battery")
        case .contact, .duplicate, .ignored: codes[theirs[1], default: []].insert("none")
        }
      }
      for (index, (ours, theirs)) in zip(ours, theirs).enumerated()
      where (theirs[1] == "Sync.Report") != (ours.kernelCode == nil && ours != .battery) {
        differences.append("\(device.file), usage \(index) \(theirs): ours \(ours)")
      }
    }
    #expect(count >= least)
    #expect(differences == [], "of \(count) usages")
    // The kernel's words for codes differ from the names, so each word must stand for one code.
    #expect(codes["Sync.Report"] == ["none"])
    #expect(codes["Power.0000"] == ["battery"])
    #expect(codes.filter { $0.value.count != 1 }.isEmpty, "\(codes.filter { $0.value.count != 1 })")
    let back = Dictionary(grouping: codes, by: { $0.value.sorted().joined(separator: " ") })
    #expect(back.filter { $0.value.count != 1 }.isEmpty, "\(back.filter { $0.value.count != 1 })")
    let unlike = codes.filter { !Word($0.key).isLike($0.value.first ?? "") }
    #expect(unlike.isEmpty, "\(unlike)")
  }

  @Test("each device is in the kernel's group, even if its reports are too long for uhid")
  func groups() throws {
    var differences: [String] = []
    var count = 0
    for row in try DescriptorCorpus.rows("oracle-kernel.tsv") where row[0].hasSuffix(".hex") {
      guard let number = UInt16(row[3]),
        let descriptor = try? HIDReportDescriptor(
          parsing: DescriptorCorpus.bytes(String(row[0])))
      else { continue }
      count += 1
      if descriptor.group.rawValue != number {
        differences.append("\(row[0]): \(descriptor.group), kernel \(number)")
      }
    }
    #expect(count >= 725)
    #expect(differences == [], "of \(count)")
  }

  struct Device: Decodable {
    var file: String
    var accepted: Bool
    var driver: String?
    var mappings: [[String]]?
    var evdev: [Node]?

    static func all(_ file: String) throws -> [Device] {
      try DescriptorCorpus.objects(file, as: Device.self).filter {
        $0.accepted && $0.driver != nil && $0.file.hasSuffix(".hex")
      }
    }

    func descriptor() throws -> HIDReportDescriptor {
      try HIDReportDescriptor(
        parsing: DescriptorCorpus.bytes(file),
        maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
    }
  }

  /// A node in the form of the oracle's file.
  struct Node: Decodable, Equatable {
    var name: String
    var props: [UInt8]
    var caps: [String: [UInt16]]
    var absinfo: [String: [Int32]]?

    var factCount: Int {
      1 + props.count + caps.values.reduce(0) { $0 + $1.count } + (absinfo?.count ?? 0) * 5
    }

    init(_ node: EvdevNode) {
      name = node.name(ofDevice: "oracle")
      props = node.properties.map(\.rawValue)
      caps = ["ev": node.eventTypes.map { UInt16($0.rawValue) }]
      let names: [(EvdevEventType, String)] = [
        (.key, "key"), (.relative, "rel"), (.absolute, "abs"), (.miscellaneous, "msc"),
        (.led, "led"),
      ]
      for (type, name) in names {
        let numbers = node.codes.filter { $0.type == type }.map(\.number)
        if !numbers.isEmpty { caps[name] = numbers }
      }
      if !node.axes.isEmpty {
        absinfo = Dictionary(
          uniqueKeysWithValues: node.axes.map {
            ("\($0.code.number)", [$0.minimum, $0.maximum, $0.fuzz, $0.flat, $0.resolution])
          })
      }
    }
  }

  /// The kernel's word for a code, such as `Key.PlayPause`.
  struct Word {
    var type: Substring
    var rest: Substring

    init(_ word: String) {
      let dot = word.firstIndex(of: ".") ?? word.endIndex
      type = word[..<dot]
      rest = word[dot...].dropFirst()
    }

    /// Returns whether the word and hidsim's name have the same letters.
    ///
    /// A few words that the kernel spells differently count as the same.
    func isLike(_ name: String) -> Bool {
      let types = [
        "Key": ["KEY_", "BTN_", "EV_KEY"], "Relative": ["REL_"], "Absolute": ["ABS_"],
        "Misc": ["MSC_"], "LED": ["LED_"], "Power": ["battery"], "Sync": ["none"],
      ]
      guard types[String(type)]?.contains(where: { name.hasPrefix($0) }) == true else {
        return false
      }
      if type == "Power" || type == "Sync" { return true }
      if name.hasPrefix("EV_KEY 0x") {
        return UInt16(rest, radix: 16) == UInt16(name.dropFirst(9), radix: 16)
      }
      let letters = rest.lowercased().filter { $0.isLetter || $0.isNumber }
      let ours = name.dropFirst(4).lowercased().filter { $0.isLetter || $0.isNumber }
      if name.hasPrefix("BTN_"), letters.replacing("btn", with: "") == ours { return true }
      return letters == ours || Self.otherNames[name] == String(rest)
    }

    private static let otherNames = [
      "BTN_TOOL_PEN": "Digi", "BTN_SOUTH": "BtnA", "BTN_EAST": "BtnB", "BTN_NORTH": "BtnX",
      "BTN_WEST": "BtnY", "KEY_LEFTCTRL": "LeftControl",
      "ABS_TILT_X": "XTilt", "ABS_TILT_Y": "YTilt",
      "KEY_MICMUTE": "MicrophoneMute", "KEY_KBDILLUMTOGGLE": "KbdIlluminationToggle",
      "KEY_KBDILLUMUP": "KbdIlluminationUp", "KEY_KBDILLUMDOWN": "KbdIlluminationDown",
      "KEY_HANGEUL": "HanGeul", "KEY_MESSENGER": "Messanger",
      "KEY_KPLEFTPAREN": "KPLeftParenthesis", "KEY_KPRIGHTPAREN": "KPRightParenthesis",
      "KEY_KATAKANAHIRAGANA": "Katakana/Hiragana", "LED_NUML": "NumLock",
      "LED_CAPSL": "CapsLock", "LED_SCROLLL": "ScrollLock",
    ]
  }
}

extension EvdevMapping.Outcome {
  /// The code that the kernel keeps for the usage.
  fileprivate var kernelCode: EvdevCode? {
    switch self {
    case .event(let code), .dropped(let code): code
    case .contact, .battery, .duplicate, .ignored: nil
    }
  }
}

extension EvdevMapping {
  /// Returns the outcomes of all usages of input and output reports, including usages without an
  /// element.
  fileprivate func outcomesInKernelOrder(of descriptor: HIDReportDescriptor) -> [Outcome] {
    [HIDReportType.input, .output].flatMap { type in
      descriptor.reports(of: type)
        .sorted { ($0.fields.first?.offset ?? 0) < ($1.fields.first?.offset ?? 0) }
        .flatMap { report in
          report.fields.filter { !$0.isPadding }
            .prefix(HIDReportDescriptor.maximumFieldCount)
            .flatMap { field in
              (0..<max(field.usages.count, field.count)).map {
                outcome(of: $0, inField: field.index, ofReport: type, id: report.id)
              }
            }
        }
    }
  }
}
