// SPDX-License-Identifier: Apache-2.0

/// Events over time, and values that change while they play.
open class CHHapticPattern: NSObject {
  /// The name of an entry in the dictionary of a pattern.
  public struct Key: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Makes a key of a name.
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

  /// How long the pattern lasts, in seconds, from its beginning to the end of the last event.
  open var duration: TimeInterval { strength.duration }

  private init(
    _ events: [CHHapticEvent], _ parameters: [CHHapticDynamicParameter],
    _ curves: [CHHapticParameterCurve]
  ) throws {
    (self.events, self.parameters, self.curves) = (events, parameters, curves)
    strength = try PatternStrength(events, parameters, curves)
  }

  /// Makes a pattern of events and of values that change at a time.
  ///
  /// - Throws: ``CHHapticError`` if a time or duration is negative or no number.
  public convenience init(
    events: [CHHapticEvent], parameters: [CHHapticDynamicParameter]
  ) throws {
    try self.init(events, parameters, [])
  }

  /// Makes a pattern of events and of values that move along curves.
  ///
  /// - Throws: ``CHHapticError`` if a time or duration is negative or no number.
  public convenience init(
    events: [CHHapticEvent], parameterCurves: [CHHapticParameterCurve]
  ) throws {
    try self.init(events, [], parameterCurves)
  }

  // MARK: Dictionaries and files

  /// Makes a pattern of a dictionary, as files of patterns (AHAP) have it.
  ///
  /// - Throws: ``CHHapticError`` with the entry that is wrong.
  public convenience init(dictionary patternDict: [Key: Any]) throws {
    let plain = Dictionary(
      uniqueKeysWithValues: patternDict.map { ($0.key.rawValue, $0.value) })
    try self.init(plain: plain)
  }

  /// Reads a pattern from a file: AHAP, which is JSON.
  ///
  /// - Throws: ``CHHapticError`` with the entry that is wrong, or the error of reading the file.
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
    guard let entries = list(plain[Key.pattern.rawValue]) else {
      throw CHHapticError(
        .invalidPatternDictionary, "the dictionary of a pattern has no list Pattern")
    }
    var events: [CHHapticEvent] = []
    var parameters: [CHHapticDynamicParameter] = []
    var curves: [CHHapticParameterCurve] = []
    for (number, entry) in entries.enumerated() {
      let place = "entry \(number + 1) of the pattern"
      if let event = fields(entry[Key.event.rawValue]) {
        events.append(try Self.event(event, place))
      } else if let parameter = fields(entry[Key.parameter.rawValue]) {
        parameters.append(try Self.parameter(parameter, place))
      } else if let curve = fields(entry[Key.parameterCurve.rawValue]) {
        curves.append(try Self.curve(curve, place))
      } else {
        throw CHHapticError(
          .badEventEntry, "\(place) is no Event, Parameter or ParameterCurve")
      }
    }
    try self.init(events, parameters, curves)
  }

  private static func event(_ entry: [String: Any], _ place: String) throws -> CHHapticEvent {
    guard let type = entry[Key.eventType.rawValue] as? String else {
      throw CHHapticError(.badEventEntry, "\(place) has no EventType")
    }
    let parameters = try (list(entry[Key.eventParameters.rawValue]) ?? []).map { parameter in
      guard let id = parameter[Key.parameterID.rawValue] as? String,
        let value = number(parameter[Key.parameterValue.rawValue])
      else {
        throw CHHapticError(
          .badParameterEntry, "a parameter of \(place) has no ParameterID or ParameterValue")
      }
      return CHHapticEventParameter(
        parameterID: CHHapticEvent.ParameterID(rawValue: id), value: Float(value))
    }
    return CHHapticEvent(
      eventType: CHHapticEvent.EventType(rawValue: type), parameters: parameters,
      relativeTime: number(entry[Key.time.rawValue]) ?? 0,
      duration: number(entry[Key.eventDuration.rawValue]) ?? 0)
  }

  private static func parameter(
    _ entry: [String: Any], _ place: String
  ) throws -> CHHapticDynamicParameter {
    guard let id = entry[Key.parameterID.rawValue] as? String,
      let value = number(entry[Key.parameterValue.rawValue])
    else {
      throw CHHapticError(.badParameterEntry, "\(place) has no ParameterID or ParameterValue")
    }
    return CHHapticDynamicParameter(
      parameterID: CHHapticDynamicParameter.ID(rawValue: id), value: Float(value),
      relativeTime: number(entry[Key.time.rawValue]) ?? 0)
  }

  private static func curve(
    _ entry: [String: Any], _ place: String
  ) throws -> CHHapticParameterCurve {
    guard let id = entry[Key.parameterID.rawValue] as? String,
      let points = list(entry[Key.parameterCurveControlPoints.rawValue])
    else {
      throw CHHapticError(
        .badParameterEntry, "\(place) has no ParameterID or ParameterCurveControlPoints")
    }
    return CHHapticParameterCurve(
      parameterID: CHHapticDynamicParameter.ID(rawValue: id),
      controlPoints: try points.map { point in
        guard let time = number(point[Key.time.rawValue]),
          let value = number(point[Key.parameterValue.rawValue])
        else {
          throw CHHapticError(
            .badParameterEntry, "a point of \(place) has no Time or ParameterValue")
        }
        return CHHapticParameterCurve.ControlPoint(relativeTime: time, value: Float(value))
      }, relativeTime: number(entry[Key.time.rawValue]) ?? 0)
  }

  /// Returns the dictionary of the pattern, as files of patterns have it.
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

/// The fields of a dictionary, by names; nil if it is none.
private func fields(_ value: Any?) -> [String: Any]? {
  if let fields = value as? [String: Any] { return fields }
  guard let keyed = value as? [CHHapticPattern.Key: Any] else { return nil }
  return Dictionary(uniqueKeysWithValues: keyed.map { ($0.key.rawValue, $0.value) })
}

/// A list of dictionaries; nil if it is none.
private func list(_ value: Any?) -> [[String: Any]]? {
  guard let entries = value as? [Any] else { return nil }
  let found = entries.compactMap(fields)
  return found.count == entries.count ? found : nil
}

private func number(_ value: Any?) -> Double? {
  switch value {
  case let value as Double: value
  case let value as Float: Double(value)
  case let value as Int: Double(value)
  case let value as NSNumber: value.doubleValue
  default: nil
  }
}
