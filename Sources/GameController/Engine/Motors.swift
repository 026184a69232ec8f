// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Synchronization

/// The strength of each motor of a controller, from 0 to 255.
struct MotorStrengths: Hashable, Sendable, BitwiseCopyable {
  var left: UInt8 = 0
  var right: UInt8 = 0
  var leftTrigger: UInt8 = 0
  var rightTrigger: UInt8 = 0
}

/// The motors of a controller, and the strengths that the program's engines set.
///
/// If several engines use a motor, the motor gets the highest of their strengths.
final class Motors: Sendable {
  /// A set of motors.
  struct Choice: OptionSet, Sendable {
    let rawValue: Int

    static let left = Self(rawValue: 1 << 0)
    static let right = Self(rawValue: 1 << 1)
    static let leftTrigger = Self(rawValue: 1 << 2)
    static let rightTrigger = Self(rawValue: 1 << 3)
  }

  private struct WeakEngine {
    weak var engine: CHHapticEngine?
  }

  private struct State {
    /// The motors and the strength of each engine whose strength is above 0, by engine number.
    var strengths: [Int: (choice: Choice, value: Float)] = [:]
    var engines: [Handed<WeakEngine>] = []
    var nextNumber = 0
    var sent = MotorStrengths()
    var hasEnded = false
  }

  let available: Choice
  private let state = Mutex(State())
  private let send: @Sendable (MotorStrengths) -> Void

  /// - Parameters:
  ///   - available: The motors that the controller has.
  ///   - send: Called with new strengths, one call at a time.
  init(_ available: Choice, _ send: @escaping @Sendable (MotorStrengths) -> Void) {
    self.available = available
    self.send = send
  }

  /// Makes an engine for a set of motors.
  func makeEngine(_ choice: Choice) -> CHHapticEngine {
    let number = state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
    let engine = CHHapticEngine { strength in self.set(strength, of: number, choice) }
    let handed = Handed(value: WeakEngine(engine: engine))
    let hasEnded = state.withLock { state in
      state.engines.removeAll { $0.value.engine == nil }
      state.engines.append(handed)
      return state.hasEnded
    }
    if hasEnded { engine.disconnect() }
    return engine
  }

  private func set(_ strength: Float, of number: Int, _ choice: Choice) {
    state.withLock { state in
      state.strengths[number] = strength > 0 ? (choice, strength) : nil
      guard !state.hasEnded else { return }
      func byte(_ motor: Choice) -> UInt8 {
        let strongest =
          state.strengths.values.lazy
          .filter { $0.choice.contains(motor) }.map(\.value).max() ?? 0
        return UInt8((min(max(strongest, 0), 1) * 255).rounded())
      }
      let new = MotorStrengths(
        left: byte(.left), right: byte(.right), leftTrigger: byte(.leftTrigger),
        rightTrigger: byte(.rightTrigger))
      guard new != state.sent else { return }
      state.sent = new
      // Send under the lock, so that the strengths that are sent last are the newest ones.
      send(new)
    }
  }

  /// Disconnects all engines after the controller was disconnected.
  func end() {
    let engines = state.withLock { state in
      state.hasEnded = true
      defer { state.engines = [] }
      return state.engines
    }
    for engine in engines { engine.value.engine?.disconnect() }
  }
}
