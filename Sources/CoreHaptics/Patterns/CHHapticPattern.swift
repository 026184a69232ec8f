// SPDX-License-Identifier: Apache-2.0

/// A pattern of events over time, with values that change while they play.
///
/// Players use the events, parameters and curves as they were when the pattern was made.
open class CHHapticPattern: NSObject {
  /// The name of an entry in the dictionary of a pattern.
  public struct Key: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Makes a key with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The version of the format: a number.
    public static let version = Self(rawValue: "Version")
    /// The entries of the pattern: a list of dictionaries.
    public static let pattern = Self(rawValue: "Pattern")
    /// An event: a dictionary.
    public static let event = Self(rawValue: "Event")
    /// The kind of an event.
    public static let eventType = Self(rawValue: "EventType")
    /// A time in seconds.
    public static let time = Self(rawValue: "Time")
    /// A duration in seconds.
    public static let eventDuration = Self(rawValue: "EventDuration")
    /// The path of a sound.
    public static let eventWaveformPath = Self(rawValue: "EventWaveformPath")
    /// The values of an event: a list of dictionaries.
    public static let eventParameters = Self(rawValue: "EventParameters")
    /// A value of the whole pattern: a dictionary.
    public static let parameter = Self(rawValue: "Parameter")
    /// The name of a value.
    public static let parameterID = Self(rawValue: "ParameterID")
    /// A value: a number.
    public static let parameterValue = Self(rawValue: "ParameterValue")
    /// A curve: a dictionary.
    public static let parameterCurve = Self(rawValue: "ParameterCurve")
    /// The points of a curve: a list of dictionaries.
    public static let parameterCurveControlPoints = Self(rawValue: "ParameterCurveControlPoints")
  }

  private let events: [CHHapticEvent]
  private let parameters: [CHHapticDynamicParameter]
  private let curves: [CHHapticParameterCurve]
  let strength: PatternStrength

  /// The time from the beginning to the end of the last event or parameter, in seconds.
  ///
  /// Curves do not count. An event counts with its own `duration`, which is 0 for a tap that
  /// was made without one. A continuous event without an end counts as 1e9 s.
  open var duration: TimeInterval { strength.duration }

  private init(
    _ events: [CHHapticEvent], _ parameters: [CHHapticDynamicParameter],
    _ curves: [CHHapticParameterCurve]
  ) throws {
    (self.events, self.parameters, self.curves) = (events, parameters, curves)
    strength = try PatternStrength(events, parameters, curves)
  }

  /// Makes a pattern from events and from values that change at a time.
  ///
  /// - Throws: ``CHHapticError`` for an invalid time, duration, type or ID.
  public convenience init(
    events: [CHHapticEvent], parameters: [CHHapticDynamicParameter]
  ) throws {
    try self.init(events, parameters, [])
  }

  /// Makes a pattern from events and from values that follow curves.
  ///
  /// - Throws: ``CHHapticError`` for an invalid time, duration, type or ID.
  public convenience init(
    events: [CHHapticEvent], parameterCurves: [CHHapticParameterCurve]
  ) throws {
    try self.init(events, [], parameterCurves)
  }

  // MARK: Dictionaries and files

  /// Makes a pattern from a dictionary in the format of pattern files (AHAP).
  ///
  /// - Throws: ``CHHapticError`` that describes the fault.
  public convenience init(dictionary patternDict: [Key: Any]) throws {
    let plain = Dictionary(
      uniqueKeysWithValues: patternDict.map { ($0.key.rawValue, $0.value) })
    try self.init(plain: plain)
  }

  /// Reads a pattern from an AHAP file, which is JSON.
  ///
  /// - Throws: ``CHHapticError`` that describes the fault, or the error of reading the file.
  public convenience init(contentsOf ahapURL: URL) throws {
    guard FileManager.default.fileExists(atPath: ahapURL.path) else {
      throw CHHapticError(.fileNotFound, "there is no pattern \(ahapURL.path)")
    }
    try self.init(data: Data(contentsOf: ahapURL))
  }

  /// Reads a pattern from the bytes of an AHAP file.
  convenience init(data: Data) throws {
    let object: Any
    do { object = try JSONSerialization.jsonObject(with: data) } catch {
      throw CHHapticError(.invalidPatternData, "the pattern is no JSON: \(error)")
    }
    guard let plain = object as? [String: Any] else {
      throw CHHapticError(.invalidPatternData, "the pattern is no JSON object")
    }
    try self.init(plain: plain)
  }

  private convenience init(plain: [String: Any]) throws {
    let dictionary = Entry("the dictionary of a pattern", plain, .invalidPatternDictionary)
    var events: [CHHapticEvent] = []
    var parameters: [CHHapticDynamicParameter] = []
    var curves: [CHHapticParameterCurve] = []
    for (number, fields) in try dictionary.list(.pattern).enumerated() {
      let entry = Entry("entry \(number + 1) of the pattern", fields, .badEventEntry)
      if let event = try entry.part(.event, .badEventEntry) {
        events.append(try Self.event(event))
      } else if let parameter = try entry.part(.parameter, .badParameterEntry) {
        parameters.append(
          CHHapticDynamicParameter(
            parameterID: CHHapticDynamicParameter.ID(rawValue: try parameter.name(.parameterID)),
            value: Float(try parameter.number(.parameterValue)),
            relativeTime: try parameter.number(.time, or: 0)))
      } else if let curve = try entry.part(.parameterCurve, .badParameterEntry) {
        curves.append(try Self.curve(curve))
      } else {
        throw CHHapticError(
          .badEventEntry, "\(entry.place) is no Event, Parameter or ParameterCurve")
      }
    }
    try self.init(events, parameters, curves)
  }

  private static func event(_ entry: Entry) throws -> CHHapticEvent {
    let parameters = try entry.list(.eventParameters, or: []).enumerated().map { number, fields in
      let place = "parameter \(number + 1) of \(entry.place)"
      let parameter = Entry(place, fields, .badParameterEntry)
      return CHHapticEventParameter(
        parameterID: CHHapticEvent.ParameterID(rawValue: try parameter.name(.parameterID)),
        value: Float(try parameter.number(.parameterValue)))
    }
    return CHHapticEvent(
      eventType: CHHapticEvent.EventType(rawValue: try entry.name(.eventType)),
      parameters: parameters, relativeTime: try entry.number(.time, or: 0),
      duration: try entry.number(.eventDuration, or: 0))
  }

  private static func curve(_ entry: Entry) throws -> CHHapticParameterCurve {
    let points = try entry.list(.parameterCurveControlPoints).enumerated().map { number, fields in
      let point = Entry("point \(number + 1) of \(entry.place)", fields, .badParameterEntry)
      return CHHapticParameterCurve.ControlPoint(
        relativeTime: try point.number(.time), value: Float(try point.number(.parameterValue)))
    }
    return CHHapticParameterCurve(
      parameterID: CHHapticDynamicParameter.ID(rawValue: try entry.name(.parameterID)),
      controlPoints: points, relativeTime: try entry.number(.time, or: 0))
  }

  /// Returns the dictionary of the pattern, in the format of pattern files.
  ///
  /// It has the current values of the events, parameters and curves.
  open func exportDictionary() throws -> [Key: Any] {
    let events: [[Key: Any]] = events.map { event in
      var entry: [Key: Any] = [
        .eventType: event.type.rawValue, .time: event.relativeTime,
        .eventParameters: event.eventParameters.map {
          [Key.parameterID: $0.parameterID.rawValue, .parameterValue: $0.value] as [Key: Any]
        },
      ]
      if event.duration > 0 { entry[.eventDuration] = event.duration }
      return [.event: entry]
    }
    let parameters: [[Key: Any]] = parameters.map { parameter in
      let entry: [Key: Any] = [
        .parameterID: parameter.parameterID.rawValue, .parameterValue: parameter.value,
        .time: parameter.relativeTime,
      ]
      return [.parameter: entry]
    }
    let curves: [[Key: Any]] = curves.map { curve in
      let entry: [Key: Any] = [
        .parameterID: curve.parameterID.rawValue, .time: curve.relativeTime,
        .parameterCurveControlPoints: curve.controlPoints.map {
          [Key.time: $0.relativeTime, .parameterValue: $0.value] as [Key: Any]
        },
      ]
      return [.parameterCurve: entry]
    }
    return [.version: 1.0, .pattern: events + parameters + curves]
  }
}

/// The dictionary of a pattern, or a dictionary inside it, with its location for error messages.
private struct Entry {
  let place: String
  private let fields: [String: Any]
  private let code: CHHapticError.Code

  init(_ place: String, _ fields: [String: Any], _ code: CHHapticError.Code) {
    (self.place, self.fields, self.code) = (place, fields, code)
  }

  private func wrong(_ key: CHHapticPattern.Key, _ expected: String) -> CHHapticError {
    guard let value = fields[key.rawValue] else {
      return CHHapticError(code, "\(place) has no \(key.rawValue); expected \(expected)")
    }
    let found = String("\(value)".prefix(40))
    return CHHapticError(
      code, "\(key.rawValue) of \(place) is \"\(found)\"; expected \(expected)")
  }

  /// Returns a dictionary inside this one; nil if it does not have the key.
  func part(_ key: CHHapticPattern.Key, _ code: CHHapticError.Code) throws -> Entry? {
    guard let value = fields[key.rawValue] else { return nil }
    guard let part = Self.fields(value) else { throw wrong(key, "a dictionary") }
    return Entry(place, part, code)
  }

  func list(_ key: CHHapticPattern.Key, or other: [[String: Any]]? = nil) throws -> [[String: Any]]
  {
    if fields[key.rawValue] == nil, let other { return other }
    guard let entries = fields[key.rawValue] as? [Any] else {
      throw wrong(key, "a list of dictionaries")
    }
    return try entries.map { entry in
      guard let part = Self.fields(entry) else { throw wrong(key, "a list of dictionaries") }
      return part
    }
  }

  func number(_ key: CHHapticPattern.Key, or other: Double? = nil) throws -> Double {
    switch fields[key.rawValue] {
    case nil where other != nil: return other ?? 0
    case let value as Double: return value
    case let value as Float: return Double(value)
    case let value as any BinaryInteger: return Double(value)
    case let value as NSNumber: return value.doubleValue
    default: throw wrong(key, "a number")
    }
  }

  /// Returns a name, which is stored as text or as a Swift value that contains it.
  func name(_ key: CHHapticPattern.Key) throws -> String {
    switch fields[key.rawValue] {
    case let value as String: return value
    case let value as CHHapticEvent.EventType: return value.rawValue
    case let value as CHHapticEvent.ParameterID: return value.rawValue
    case let value as CHHapticDynamicParameter.ID: return value.rawValue
    default: throw wrong(key, "a name")
    }
  }

  private static func fields(_ value: Any) -> [String: Any]? {
    if let fields = value as? [String: Any] { return fields }
    guard let keyed = value as? [CHHapticPattern.Key: Any] else { return nil }
    return Dictionary(uniqueKeysWithValues: keyed.map { ($0.key.rawValue, $0.value) })
  }
}
