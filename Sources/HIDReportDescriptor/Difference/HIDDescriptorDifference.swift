// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A difference between two descriptors that a host can see.
///
/// Items with the same meaning in another form or order are no difference. Examples are a field
/// that was split, and a usage page that was given earlier.
public struct HIDDescriptorDifference: Hashable, Sendable {
  /// The kind of a difference.
  public enum Change: Hashable, Sendable {
    /// Only the second descriptor has the subject.
    case added
    /// Only the first descriptor has the subject.
    case removed
    /// Both descriptors have the subject, with different properties.
    case changed
  }

  /// The part of a descriptor that differs.
  public enum Subject: Hashable, Sendable {
    /// A collection, with its path from the outermost collection; of a longer path, the innermost
    /// 32 levels.
    case collection([HIDCollectionTitle])
    /// A report as a whole.
    case report(HIDReportType, id: HIDReportID?)
    /// Controls of a report with consecutive usages.
    case controls(HIDReportType, id: HIDReportID?, first: HIDUsage, last: HIDUsage)
  }

  /// One property of the subject, before and after.
  public struct Aspect: Hashable, Sendable {
    /// The name of the property: `bit`, `logical range`.
    public let name: String
    /// The property in the first descriptor; `nil` if the subject was added.
    ///
    /// Empty if both descriptors have the subject, but the first gives no such property.
    public let before: String?
    /// The property in the second descriptor; `nil` if the subject was removed.
    ///
    /// Empty if both descriptors have the subject, but the second gives no such property.
    public let after: String?

    package init(name: String, before: String?, after: String?) {
      self.name = name
      self.before = before
      self.after = after
    }
  }

  /// The kind of the difference.
  public let change: Change
  /// The part of the descriptor that differs.
  public let subject: Subject
  /// The properties that changed; for a subject that was added or removed, its properties without
  /// its collection.
  ///
  /// Empty for a collection.
  public let aspects: [Aspect]
}

/// The kind and the usage of a collection.
public struct HIDCollectionTitle: Hashable, Sendable, CustomStringConvertible {
  /// The kind of the collection.
  public let kind: HIDCollection.Kind
  /// The usage of the collection; `nil` if the descriptor gives none.
  public let usage: HIDUsage?

  init(_ collection: HIDCollection) {
    kind = collection.kind
    usage = collection.usage
  }

  /// The kind and the usage's name: `application genericDesktop.mouse`; the kind alone without a
  /// usage.
  public var description: String { usage.map { "\(kind) \($0.name)" } ?? "\(kind)" }
}

extension HIDDescriptorDifference: CustomStringConvertible {
  /// A line: `+`, `-` or `~`, the subject, and its properties.
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
  /// The name of the subject, with its report.
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
  /// Returns the differences between this descriptor and another that a host can see.
  ///
  /// Reports are paired by type and ID. A report that differs only in its ID is reported as
  /// changed. Controls are paired by usage, collection, and kind of field (array or variable), in
  /// order, within their report.
  /// Designators, strings and alternative usages are not compared. The time grows with the number
  /// of fields. It grows with the square of the number if a report has all its controls in another
  /// order.
  ///
  /// - Parameter other: The descriptor to compare with, read by the same rules.
  /// - Returns: Collections first, then each report with its controls, new reports last; a removed
  ///   report without its controls. Empty if there is no difference.
  public func differences(to other: HIDReportDescriptor) -> [HIDDescriptorDifference] {
    HIDDescriptorComparison(self, other).differences
  }
}
