// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText

/// A part of a trace that is not compared or asserted: a report, bytes of a report, or a control.
///
/// Examples are counters and timestamps in reports.
public struct HIDTraceExclusion: Hashable, Sendable {
  /// The kinds of parts that can be left out.
  public enum Part: Hashable, Sendable {
    /// Reports of a type and ID and the requests for them, or some bytes of the reports.
    ///
    /// A nil `id` means all IDs. A nil `bytes` means whole reports.
    case report(HIDReportType, id: HIDReportID?, bytes: ClosedRange<Int>?)
    /// A control, by name.
    ///
    /// A name without `#` means all controls of its usage.
    case control(String)
  }

  /// The error for an exclusion that is not valid.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem in one line: the text that was found, and the expected text.
    public let description: String

    /// Returns the failure for the name of a control that no compared device has.
    ///
    /// - Parameter devices: The subject of the sentence, such as `no device of the trace`.
    static func unknown(control name: String, of devices: String) -> Self {
      Self(
        description: "\(devices) has a control \(quoted(name)); "
          + "hidsim describe lists the controls of a device")
    }
  }

  /// The part that is not compared.
  public let part: Part

  /// Creates an exclusion.
  public init(_ part: Part) { self.part = part }

  /// Creates an exclusion from text: `input`, `input 3`, `input 1 bytes 7-9`, `feature byte 0` or
  /// the name of a control.
  ///
  /// Bytes count from 0. Byte 0 is the report's ID if it has one. A text that does not begin with a
  /// report type is taken as the name of a control, which is not checked.
  ///
  /// - Throws: An empty text, a report ID that is not from 1 to 255, or a range that is not valid.
  public init(_ text: String) throws(Failure) {
    var words = text.split(separator: " ").map(String.init)[...]
    guard let first = words.first else {
      throw Failure(description: "the exclusion is empty; \(Self.remedy)")
    }
    guard let type = HIDReportType.allCases.first(where: { "\($0)" == first }) else {
      part = .control(words.joined(separator: " "))
      return
    }
    words.removeFirst()
    var id: HIDReportID?
    if let word = words.first, word != "byte", word != "bytes" {
      guard let number = NumberText.integer(word, as: Int.self), (1...255).contains(number) else {
        throw Failure(
          description:
            "\(quoted(word)) is not a report ID from 1 to 255; \(Self.remedy)"
        )
      }
      id = HIDReportID(rawValue: UInt8(number))
      words.removeFirst()
    }
    guard !words.isEmpty else {
      part = .report(type, id: id, bytes: nil)
      return
    }
    guard ["byte", "bytes"].contains(words.removeFirst()), words.count == 1,
      let range = words.first,
      let bytes = Self.range(range)
    else {
      throw Failure(
        description: "\(quoted(text)) has no valid range of bytes; \(Self.remedy)")
    }
    part = .report(type, id: id, bytes: bytes)
  }

  private static let remedy =
    "write an exclusion such as input 1 bytes 7-9, input 3 or genericDesktop.x"

  private static func range(_ word: String) -> ClosedRange<Int>? {
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map {
      NumberText.integer($0, as: Int.self)
    }
    guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2,
      first >= 0, first <= last, last < HIDTraceReader.maximumReportByteCount
    else { return nil }
    return first...last
  }
}

/// The parts of one device's reports that are not compared.
struct TraceMask: Sendable {
  /// A report, or all reports of its type if `id` is nil.
  private struct Key: Hashable, Sendable {
    var type: HIDReportType
    var id: HIDReportID?
  }

  private var reports: Set<Key> = []
  private var bits: [Key: [Range<Int>]] = [:]

  /// Finds the parts of a device's reports that the exclusions name.
  ///
  /// - Parameters:
  ///   - exclusions: The exclusions.
  ///   - descriptor: The report descriptor of the device; nil if it is not valid.
  ///   - found: Receives the index of each exclusion that applies to the device. An exclusion of a
  ///     report always applies.
  /// - Throws: An exclusion that names a control which is a usage of an array.
  init(
    _ exclusions: [HIDTraceExclusion], on descriptor: HIDReportDescriptor?, found: inout Set<Int>
  ) throws(HIDTraceExclusion.Failure) {
    for (place, exclusion) in exclusions.enumerated() {
      switch exclusion.part {
      case .report(let type, let id, let bytes):
        found.insert(place)
        if let bytes {
          bits[Key(type: type, id: id), default: []].append(
            8 * bytes.lowerBound..<8 * (bytes.upperBound + 1))
        } else {
          reports.insert(Key(type: type, id: id))
        }
      case .control(let name):
        guard let descriptor else { continue }
        for control in Self.controls(name, descriptor) {
          found.insert(place)
          guard !control.isArrayMember,
            let layout = descriptor.report(control.type, id: control.reportID)
          else {
            throw HIDTraceExclusion.Failure(
              description:
                "\(quoted(name)) is a usage of an array and has no bits of its own; "
                + "name the bytes of the array, as in input 1 bytes 2-7")
          }
          let field = layout.fields[control.fieldIndex]
          let start = 8 * layout.payloadOffset + field.bitOffset + control.index * field.bitSize
          bits[Key(type: control.type, id: control.reportID), default: []].append(
            start..<start + field.bitSize)
        }
      }
    }
  }

  private static func controls(
    _ name: String, _ descriptor: HIDReportDescriptor
  ) -> [HIDReportElement] {
    let named = descriptor.controls(named: name)
    return name.contains("#") ? named : named.first.map { descriptor.controls($0.usage) } ?? []
  }

  /// Returns the event with excluded bits and its latency set to 0; nil if an exclusion names its
  /// whole report.
  func compared(
    _ kind: HIDTraceEvent.Kind, on descriptor: HIDReportDescriptor?
  ) -> HIDTraceEvent.Kind? {
    var result = kind
    // The latency of a request differs each time.
    switch kind {
    case .getReport(var request):
      request.latency = 0
      result = .getReport(request)
    case .setReport(var request):
      request.latency = 0
      result = .setReport(request)
    default: break
    }
    guard !reports.isEmpty || !bits.isEmpty, let type = kind.reportType else { return result }
    let keys =
      [Key(type: type, id: nil)]
      + (kind.reportID(on: descriptor).map { [Key(type: type, id: $0)] } ?? [])
    if keys.contains(where: reports.contains) { return nil }
    let ranges = keys.flatMap { bits[$0] ?? [] }
    guard !ranges.isEmpty, let report = kind.reportBytes else { return result }
    var bytes = [UInt8](report)
    for range in ranges {
      for bit in range.clamped(to: 0..<8 * bytes.count) {
        bytes[bit / 8] &= ~(1 << UInt8(bit % 8))
      }
    }
    result.reportBytes = HIDReportBytes(bytes)
    return result
  }
}
