// SPDX-License-Identifier: Apache-2.0

/// A value over time, which changes linearly from point to point; times are in seconds.
///
/// Before the first point there is no value. After the last point the value stays the same.
struct ValueCurve: Sendable {
  private(set) var points: [(time: Double, value: Float)]

  /// - Parameter points: The points, in the order of their times.
  init(_ points: [(time: Double, value: Float)]) { self.points = points }

  /// Returns the same curve at a later time.
  func moved(by time: Double) -> Self { Self(points.map { ($0.time + time, $0.value) }) }

  /// Returns the value at a time; nil before the first point.
  func value(at time: Double) -> Float? {
    guard let next = points.firstIndex(where: { $0.time > time }) else { return points.last?.value }
    guard next > 0 else { return nil }
    let (left, right) = (points[next - 1], points[next])
    let part = Float((time - left.time) / (right.time - left.time))
    return left.value + (right.value - left.value) * part
  }

  /// Returns the time at which the value must be read next; infinity after the last point.
  ///
  /// - Parameter step: The interval at which a linearly changing value is read.
  func nextChange(after time: Double, step: Double) -> Double {
    guard let next = points.firstIndex(where: { $0.time > time }) else { return .infinity }
    guard next > 0, points[next - 1].value != points[next].value else { return points[next].time }
    return min(points[next].time, time + step)
  }
}

/// The curves of one dynamic parameter, each of which applies until the next one begins.
struct Control: Sendable {
  private var curves: [ValueCurve] = []

  /// Adds a curve, which applies from its first point on.
  mutating func add(_ curve: ValueCurve) {
    guard let first = curve.points.first else { return }
    let place = curves.lastIndex { $0.points[0].time <= first.time }.map { $0 + 1 } ?? 0
    curves.insert(curve, at: place)
  }

  /// Removes the curves that no longer apply at a time, because a later curve has begun by then.
  mutating func forget(before time: Double) {
    guard let last = curves.lastIndex(where: { $0.points[0].time <= time }) else { return }
    curves.removeFirst(last)
  }

  /// Removes the curves that begin after a time.
  mutating func forget(after time: Double) { curves.removeAll { $0.points[0].time > time } }

  /// Returns the value at a time; 1 before the first curve.
  func value(at time: Double) -> Float {
    curves.last { $0.points[0].time <= time }?.value(at: time) ?? 1
  }

  func nextChange(after time: Double, step: Double) -> Double {
    let last = curves.lastIndex { $0.points[0].time <= time }
    let current = last.map { curves[$0].nextChange(after: time, step: step) } ?? .infinity
    let next = curves.first { $0.points[0].time > time }?.points[0].time ?? .infinity
    return min(current, next)
  }
}

/// The strength of a pattern over time.
///
/// If events overlap, the highest of their strengths applies.
struct PatternStrength: Sendable {
  /// The duration of a tap, in seconds.
  private static let tapDuration = 0.05

  private var events: [ValueCurve] = []
  private var control = Control()
  /// The time from the beginning of the pattern to the end of the last event or parameter, in
  /// seconds; curves do not count.
  private(set) var duration = 0.0
  /// The time from the beginning of the pattern until the last event has faded out, in seconds; at
  /// least ``duration``.
  private(set) var end = 0.0

  init(
    _ events: [CHHapticEvent], _ parameters: [CHHapticDynamicParameter],
    _ curves: [CHHapticParameterCurve]
  ) throws {
    for event in events {
      guard event.relativeTime >= 0, event.relativeTime.isFinite else {
        throw CHHapticError(
          .invalidEventTime, "an event begins at \(event.relativeTime) s; expected 0 or later")
      }
      guard event.duration >= 0 else {
        throw CHHapticError(
          .invalidEventDuration, "an event lasts \(event.duration) s; expected 0 or longer")
      }
      duration = max(duration, event.relativeTime + Self.duration(of: event))
      for parameter in event.eventParameters
      where !CHHapticEvent.ParameterID.all.contains(parameter.parameterID) {
        throw CHHapticError(
          .invalidParameterType,
          "events have no parameter \"\(parameter.parameterID.rawValue)\"")
      }
      guard let curve = try Self.curve(of: event), let last = curve.points.last else { continue }
      self.events.append(curve)
      end = max(end, last.time)
    }
    for parameter in parameters {
      duration = max(duration, parameter.relativeTime)
      if let curve = try Control.curve(of: parameter) { control.add(curve) }
    }
    for curve in curves {
      if let curve = try Control.curve(of: curve, isPlaced: true) { control.add(curve) }
    }
    end = max(end, duration)
  }

  /// Returns the duration of an event, at most 1e9 s, so that sums stay finite.
  ///
  /// A continuous event with the duration 0 has no end, which counts as 1e9 s.
  private static func duration(of event: CHHapticEvent) -> Double {
    let isEndless = event.type == .hapticContinuous && event.duration == 0
    return isEndless ? longest : min(event.duration, longest)
  }

  private static let longest = 1e9

  /// Returns the strength of an event; nil for an event that motors do not play.
  private static func curve(of event: CHHapticEvent) throws -> ValueCurve? {
    func parameter(_ id: CHHapticEvent.ParameterID, _ normal: Float) -> Float {
      let value = event.eventParameters.last { $0.parameterID == id }?.value ?? normal
      return value.isNaN ? normal : min(max(value, 0), 1)
    }
    let start = event.relativeTime
    let intensity = parameter(.hapticIntensity, 1)
    switch event.type {
    case .hapticTransient:
      let end = start + Self.tapDuration
      return ValueCurve([(start, intensity), (end, intensity), (end, 0)])
    case .hapticContinuous:
      let duration = duration(of: event)
      let attack = min(Double(parameter(.attackTime, 0)), duration)
      var points: [(Double, Float)] = attack > 0 ? [(start, Float(0))] : []
      points.append((start + attack, intensity))
      if parameter(.sustained, 1) > 0 {
        points.append((start + duration, intensity))
        points.append((start + duration + Double(parameter(.releaseTime, 0)), 0))
      } else {
        let decay = min(max(Double(parameter(.decayTime, 0)), tapDuration), duration - attack)
        points.append((start + attack + decay, 0))
        points.append((start + duration, 0))
      }
      return ValueCurve(points)
    case .audioContinuous, .audioCustom: return nil
    default:
      throw CHHapticError(.invalidEventType, "there is no event \"\(event.type.rawValue)\"")
    }
  }

  /// Returns the strength at a time after the beginning of the pattern, from 0 to 1.
  func value(at time: Double) -> Float {
    var strongest: Float = 0
    for event in events { strongest = max(strongest, event.value(at: time) ?? 0) }
    return strongest * control.value(at: time)
  }

  /// Returns the time at which the strength must be read next, in seconds; infinity if it no longer
  /// changes.
  func nextChange(after time: Double, step: Double) -> Double {
    var next = control.nextChange(after: time, step: step)
    for event in events { next = min(next, event.nextChange(after: time, step: step)) }
    return next
  }
}

extension Control {
  /// Returns the constant curve of a parameter, from its time on; nil if it has no effect.
  static func curve(of parameter: CHHapticDynamicParameter) throws -> ValueCurve? {
    let time = parameter.relativeTime
    try check(parameter.parameterID)
    guard time >= 0, time.isFinite else {
      throw CHHapticError(
        .invalidTime, "a parameter begins at \(parameter.relativeTime) s; expected 0 or later")
    }
    guard parameter.parameterID == .hapticIntensityControl else { return nil }
    return ValueCurve([(time, limited(parameter.value))])
  }

  private static func check(_ id: CHHapticDynamicParameter.ID) throws {
    guard !CHHapticDynamicParameter.ID.all.contains(id) else { return }
    throw CHHapticError(.invalidParameterType, "patterns have no parameter \"\(id.rawValue)\"")
  }

  /// Returns the values over time of a ``CHHapticParameterCurve``; nil if it has no effect.
  ///
  /// - Parameter isPlaced: True to add the curve's own time to the times of its points.
  static func curve(of curve: CHHapticParameterCurve, isPlaced: Bool) throws -> ValueCurve? {
    try check(curve.parameterID)
    let times = [curve.relativeTime] + curve.controlPoints.map(\.relativeTime)
    guard times.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
      throw CHHapticError(.invalidTime, "a curve has the times \(times) s; expected 0 or later")
    }
    guard curve.parameterID == .hapticIntensityControl, !curve.controlPoints.isEmpty else {
      return nil
    }
    let points = curve.controlPoints.map { point in
      (
        time: (isPlaced ? curve.relativeTime : 0) + point.relativeTime, value: limited(point.value)
      )
    }
    return ValueCurve(points.sorted { $0.time < $1.time })
  }

  private static func limited(_ value: Float) -> Float {
    value.isNaN ? 1 : min(max(value, 0), 1)
  }
}
