// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import GameController

/// The effects of a game on the controller that was connected last.
public final class Rumble {
  /// The reason for the last stop of an engine; nil if none has stopped.
  public private(set) var lastStop: String?
  /// True while there is an engine.
  public private(set) var isReady = false
  private var controller: GCController?
  private var engines: [GCHapticsLocality: CHHapticEngine] = [:]
  private var hum: CHHapticAdvancedPatternPlayer?
  private var observer: NSObjectProtocol?

  /// Starts to wait for a controller.
  public init() {
    observer = NotificationCenter.default.addObserver(
      forName: .GCControllerDidConnect, object: nil, queue: .main
    ) { [weak self] note in
      guard let controller = note.object as? GCController else { return }
      self?.prepare(controller)
    }
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  private func prepare(_ controller: GCController) {
    self.controller = controller
    let wanted: [GCHapticsLocality] = [.leftHandle, .rightHandle, .leftTrigger]
    for locality in wanted where controller.haptics?.supportedLocalities.contains(locality) == true
    {
      guard let engine = controller.haptics?.createEngine(withLocality: locality) else { continue }
      engine.stoppedHandler = { [weak self] reason in
        DispatchQueue.main.async { self?.lastStop = reason.name }
      }
      engine.resetHandler = { [weak engine] in try? engine?.start() }
      engine.isAutoShutdownEnabled = true
      do {
        try engine.start()
        engines[locality] = engine
      } catch let error as CHHapticError where error.code == .resourceNotAvailable {
        print("gone: \(error.localizedDescription)")
      } catch {
        print("no engine: \(error)")
      }
    }
    isReady = !engines.isEmpty
  }

  /// Plays a short knock on the left.
  public func knock(_ strength: Float) throws {
    let event = CHHapticEvent(
      eventType: .hapticTransient,
      parameters: [
        CHHapticEventParameter(parameterID: .hapticIntensity, value: strength),
        CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.3),
      ], relativeTime: 0)
    let pattern = try CHHapticPattern(events: [event], parameters: [])
    let player: CHHapticPatternPlayer? = try engines[.leftHandle]?.makePlayer(with: pattern)
    try player?.start(atTime: CHHapticTimeImmediate)
  }

  /// Sets the speed of a motor on the right, which follows the game.
  public func setSpeed(_ speed: Float) throws {
    if hum == nil {
      let event = CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: 1)],
        relativeTime: 0, duration: TimeInterval(GCHapticDurationInfinite))
      hum = try engines[.rightHandle]?.makeAdvancedPlayer(
        with: CHHapticPattern(events: [event], parameters: []))
      try hum?.start(atTime: 0)
    }
    let control = CHHapticDynamicParameter(
      parameterID: .hapticIntensityControl, value: speed, relativeTime: 0)
    try hum?.sendParameters([control], atTime: CHHapticTimeImmediate)
  }

  /// Stops all effects.
  public func silence() {
    hum = nil
    for engine in engines.values {
      engine.stop { error in
        if let error { print("stop: \(error)") }
      }
    }
  }
}

extension CHHapticEngine.StoppedReason {
  var name: String {
    switch self {
    case .audioSessionInterrupt: return "audio"
    case .applicationSuspended: return "suspended"
    case .idleTimeout: return "idle"
    case .notifyWhenFinished: return "finished"
    case .engineDestroyed: return "destroyed"
    case .gameControllerDisconnect: return "disconnected"
    case .systemError: return "system"
    }
  }
}
