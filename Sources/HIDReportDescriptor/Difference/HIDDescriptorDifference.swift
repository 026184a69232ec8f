// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// Something that a host sees in one descriptor and not in another.
///
/// Items that say the same in other words or another order are no difference: neither is a field that was split, nor a
/// usage page given earlier.
public struct HIDDescriptorDifference: Hashable, Sendable {
  /// What became of it.
  public enum Change: Hashable, Sendable {
    /// Only the second descriptor has it.
    case added
    /// Only the first descriptor has it.
    case removed
    /// Both have it, and it says something else.
    case changed
  }

  /// What it is.
  public enum Subject: Hashable, Sendable {
    /// A collection, from the outermost to itself.
    case collection([HIDCollectionTitle])
    /// A report as a whole.
    case report(HIDReportType, id: HIDReportID?)
    /// Controls of a report whose usages follow each other.
    case controls(HIDReportType, id: HIDReportID?, first: HIDUsage, last: HIDUsage)
  }

  /// One thing that is said of the subject, before and after.
  public struct Aspect: Hashable, Sendable {
    /// What is said: `bit`, `logical range`.
    public let name: String
    /// What the first descriptor says; `nil` where it has nothing to say.
    public let before: String?
    /// What the second descriptor says; `nil` where it has nothing to say.
    public let after: String?

    package init(name: String, before: String?, after: String?) {
      self.name = name
      self.before = before
      self.after = after
    }
  }

  /// What became of the subject.
  public let change: Change
  /// What it is about.
  public let subject: Subject
  /// What changed of it; of something added or removed, all that is said of it.
  public let aspects: [Aspect]
}

/// A collection's kind and what it is for.
public struct HIDCollectionTitle: Hashable, Sendable, CustomStringConvertible {
  /// What the collection is.
  public let kind: HIDCollection.Kind
  /// What it is for; `nil` where the descriptor does not say.
  public let usage: HIDUsage?

  init(_ collection: HIDCollection) {
    kind = collection.kind
    usage = collection.usage
  }

  /// `application genericDesktop.mouse`.
  public var description: String { usage.map { "\(kind) \($0.name)" } ?? "\(kind)" }
}

extension HIDDescriptorDifference: CustomStringConvertible {
  /// A line: `+`, `-` or `~`, the subject, and what is said of it.
  public var description: String {
    let mark =
      switch change {
      case .added: "+"
      case .removed: "-"
      case .changed: "~"
      }
    let words = aspects.map { aspect in
      switch (aspect.before, aspect.after) {
      case (let before?, let after?): "\(aspect.name) \(before) -> \(after)"
      case (let only?, nil), (nil, let only?): "\(aspect.name) \(only)"
      case (nil, nil): aspect.name
      }
    }
    return "\(mark) \(subject)\(words.isEmpty ? "" : ": \(words.joined(separator: ", "))")"
  }
}

extension HIDDescriptorDifference.Subject: CustomStringConvertible {
  /// The subject by name, with its report.
  public var description: String {
    switch self {
    case .collection(let path):
      return "collection " + path.map(\.description).joined(separator: " / ")
    case .report(let type, let id): return Self.name(type, id)
    case .controls(let type, let id, let first, let last):
      let usages = first == last ? first.name : "\(first.name) ... \(last.name)"
      return "\(Self.name(type, id)), \(usages)"
    }
  }

  private static func name(_ type: HIDReportType, _ id: HIDReportID?) -> String {
    "\(type) report\(id.map { " \($0)" } ?? "")"
  }
}

extension HIDReportDescriptor {
  /// What a host sees differently in another descriptor.
  ///
  /// Reports are paired by type and ID; a report that only got another ID is told so. Controls are paired by usage, in
  /// order, within their report. The work grows with the number of fields, and with its square only for a report that has
  /// all its controls in another order.
  ///
  /// - Parameter other: The descriptor to compare with, read in the same way.
  /// - Returns: Collections first, then each report with its controls; nothing where a host sees the same.
  public func differences(to other: HIDReportDescriptor) -> [HIDDescriptorDifference] {
    HIDDescriptorComparison(self, other).differences
  }
}
