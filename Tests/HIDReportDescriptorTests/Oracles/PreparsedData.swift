// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The reading of one top-level collection by Windows, as hidapi's tests write it down.
struct PreparsedData {
  /// The data that Windows keeps for the elements of one usage, or of one range of usages.
  struct Cap: Hashable {
    var type: HIDReportType
    /// The report ID; 0 for an unnumbered report.
    var reportID: Int
    /// The number of bits before the cap's field in the payload.
    var bitOffset: Int
    var bitSize: Int
    var count: Int
    var bitCount: Int
    /// The low bits of the main item.
    var flags: Int
    var page: Int
    var firstUsage: Int
    var lastUsage: Int
    var isButton: Bool
    var isAbsolute: Bool
    var isPadding: Bool
    /// True if the cap is an alternative to another cap, from a delimiter.
    var isAlias = false
    /// True if the next cap is of the same array; Windows has the last usage of an array first.
    var isContinued: Bool
    var logicalMinimum: Int
    var logicalMaximum: Int
    // The following three properties exist for values only.
    var physicalMinimum = 0
    var physicalMaximum = 0
    var hasNullState = false
    var unit: Int
    var unitExponent: Int
    var collection: [Collection]
  }

  /// A collection, by its kind and its usage.
  struct Collection: Hashable {
    var kind: Int
    var usage: Int
  }

  private(set) var usage = 0
  private(set) var caps: [Cap] = []
  /// All collections, each with the collections around it, the innermost first.
  private(set) var collections: [[Collection]] = []
  /// The longest report of each type in bytes, always with a byte for the ID; 0 if there is none.
  private(set) var byteCounts: [HIDReportType: Int] = [:]

  init(_ text: String) throws {
    var values: [Substring: Int] = [:]
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("pp_data->") {
      let sides = line.dropFirst("pp_data->".count).split(separator: "=")
      guard sides.count == 2, let key = sides[0].split(separator: " ").first,
        let value = sides[1].split(separator: " ").first
      else { continue }
      values[key] =
        value.hasPrefix("0x") ? Int(value.dropFirst(2), radix: 16) : Int(value)
    }
    func value(_ key: String) throws -> Int {
      guard let value = values[Substring(key)] else { throw Missing(key: key) }
      return value
    }
    usage = try value("UsagePage") << 16 | value("Usage")
    var parents: [Int] = []
    for index in 0..<(try value("NumberLinkCollectionNodes")) {
      let node = "LinkCollectionArray[\(index)]->"
      let parent = try value(node + "Parent")
      parents.append(parent)
      let own = Collection(
        kind: try value(node + "CollectionType"),
        usage: try value(node + "LinkUsagePage") << 16 | value(node + "LinkUsage"))
      // A parent is before its children in the list, and the first collection is its own parent.
      collections.append([own] + (index == 0 ? [] : collections[parent]))
    }
    for (number, type) in HIDReportType.allCases.enumerated() {
      byteCounts[type] = try value("caps_info[\(number)]->ReportByteLength")
      // The array may have room for more caps, which are not in the file.
      let first = try value("caps_info[\(number)]->FirstCap")
      for index in first..<max(first, try value("caps_info[\(number)]->LastCap")) {
        caps.append(try Self.cap(type, collections) { try value("cap[\(index)]->" + $0) })
      }
    }
  }

  struct Missing: Error {
    var key: String
  }

  private static func cap(
    _ type: HIDReportType, _ collections: [[Collection]], _ value: (String) throws -> Int
  ) throws -> Cap {
    let isRange = try value("IsRange") != 0
    let isButton = try value("IsButtonCap") != 0
    let range = isButton ? "Button." : "NotButton."
    var cap = Cap(
      type: type, reportID: try value("ReportID"),
      bitOffset: (try value("BytePosition") - 1) * 8 + (try value("BitPosition")),
      bitSize: try value("BitSize"), count: try value("ReportCount"),
      bitCount: try value("BitCount"), flags: try value("BitField"),
      page: try value("UsagePage"),
      firstUsage: try value(isRange ? "Range.UsageMin" : "NotRange.Usage"),
      lastUsage: try value(isRange ? "Range.UsageMax" : "NotRange.Usage"), isButton: isButton,
      isAbsolute: try value("IsAbsolute") != 0, isPadding: try value("IsPadding") != 0,
      isAlias: try value("IsAlias") != 0,
      isContinued: try value("IsMultipleItemsForArray") != 0,
      logicalMinimum: try value(range + "LogicalMin"),
      logicalMaximum: try value(range + "LogicalMax"), unit: try value("Units"),
      unitExponent: try value("UnitsExp"), collection: collections[try value("LinkCollection")])
    if !isButton {
      cap.physicalMinimum = try value("NotButton.PhysicalMin")
      cap.physicalMaximum = try value("NotButton.PhysicalMax")
      cap.hasNullState = try value("NotButton.HasNull") != 0
    }
    return cap
  }
}
