// SPDX-License-Identifier: Apache-2.0

/// Plays haptic patterns on the motors of a controller.
///
/// `GCDeviceHaptics.createEngine(withLocality:)` of the module GameController makes one. Where
/// patterns play at the same time, the strongest one counts. Handlers are called on a queue of the
/// engine.
// A plain class: a subclass of NSObject cannot have the initializer that throws.
open class CHHapticEngine: Hashable {
  /// The handler of a start or stop that has ended; the error is nil without one.
  public typealias CompletionHandler = ((any Error)?) -> Void
  /// The handler that is called when all players have ended; it says how the engine goes on.
  public typealias FinishedHandler = ((any Error)?) -> FinishedAction
  /// The handler of a stop otherwise than by a call of `stop`.
  public typealias StoppedHandler = (StoppedReason) -> Void
  /// The handler of a restart of the system's service.
  public typealias ResetHandler = () -> Void

  /// How an engine goes on when all its players have ended.
  public enum FinishedAction: Int, Sendable {
    /// The engine stops.
    case stopEngine = 1
    /// The engine stays started.
    case leaveEngineRunning = 2
  }

  /// Why an engine has stopped.
  public enum StoppedReason: Int, Sendable {
    /// A fault of the system.
    case systemError = -1
    /// Another program uses the audio.
    case audioSessionInterrupt = 1
    /// The program is in the background.
    case applicationSuspended = 2
    /// Nothing has played for a while.
    case idleTimeout = 3
    /// A ``FinishedHandler`` has asked for it.
    case notifyWhenFinished = 4
    /// The engine has ended.
    case engineDestroyed = 5
    /// The controller has gone.
    case gameControllerDisconnect = 6
  }

  private let mixer: Mixer
  private let reset = Slot<ResetHandler>({})

  /// Fails: a machine with Linux has no motors of its own.
  ///
  /// - Throws: ``CHHapticError/Code/notSupported``.
  public init() throws {
    throw CHHapticError(
      .notSupported,
      "this machine has no haptic hardware; use GCDeviceHaptics.createEngine(withLocality:)")
  }

  /// Makes an engine of some motors.
  ///
  /// - Parameter send: Called with each new strength, from 0 to 1, one call at a time.
  package init(_ send: @escaping @Sendable (Float) -> Void) { mixer = Mixer(send) }

  deinit { mixer.stop() }

  /// Ends the engine: its motors have gone.
  package func disconnect() { mixer.stop(.gameControllerDisconnect, isGone: true) }

  /// The abilities of this machine's own motors: it has none.
  open class func capabilitiesForHardware() -> any CHHapticDeviceCapability {
    NoHapticHardware()
  }

  /// The time of engines: that of `CLOCK_MONOTONIC`, in seconds.
  open var currentTime: TimeInterval { Mixer.now }

  /// Called when the engine was started, and stops otherwise than by `stop`.
  open var stoppedHandler: StoppedHandler {
    get { mixer.stoppedHandler.value }
    set { mixer.stoppedHandler.value = newValue }
  }

  /// Called when the system's service has restarted: never on Linux.
  open var resetHandler: ResetHandler {
    get { reset.value }
    set { reset.value = newValue }
  }

  /// Has no effect: the engine never plays audio.
  open var playsHapticsOnly = true

  /// Whether audio is muted; engines of controllers play none.
  open var isMutedForAudio = false

  /// Whether the motors are at rest though patterns play.
  open var isMutedForHaptics: Bool {
    get { mixer.isMuted }
    set { mixer.isMuted = newValue }
  }

  /// Whether the engine stops when nothing has played for a while.
  ///
  /// hidsim only keeps the value: an idle engine stays started.
  open var isAutoShutdownEnabled = false

  // MARK: Start and stop

  /// Starts the engine.
  ///
  /// - Throws: ``CHHapticError/Code/resourceNotAvailable`` if the controller has gone.
  open func start() throws { try mixer.start() }

  /// Starts the engine.
  ///
  /// - Throws: ``CHHapticError/Code/resourceNotAvailable`` if the controller has gone.
  open func start() async throws { try mixer.start() }

  /// Starts the engine, and calls a handler with the error, if there is one.
  open func start(completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
    let result = Result { try mixer.start() }
    guard let completionHandler else { return }
    mixer.call {
      if case .failure(let error) = result {
        completionHandler(error)
      } else {
        completionHandler(nil)
      }
    }
  }

  /// Stops the engine and its players, sets its strength to 0, and then calls a handler.
  ///
  /// The report to the controller follows. A program that exits at once may leave the motors on.
  open func stop(completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
    mixer.stop { completionHandler?(nil) }
  }

  /// Stops the engine and its players, and returns when its strength is 0.
  ///
  /// The report to the controller follows. A program that exits at once may leave the motors on.
  open func stop() async throws {
    await withCheckedContinuation { continuation in mixer.stop { continuation.resume() } }
  }

  /// Calls a handler once: when no player plays, pauses or waits for its time.
  open func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
    mixer.notifyWhenFinished(finishedHandler)
  }

  // MARK: Players

  /// Makes a player of a pattern.
  open func makePlayer(with pattern: CHHapticPattern) throws -> any CHHapticPatternPlayer {
    PatternPlayer(pattern, mixer)
  }

  /// Makes a player of a pattern that can pause, repeat and speed up.
  open func makeAdvancedPlayer(
    with pattern: CHHapticPattern
  ) throws -> any CHHapticAdvancedPatternPlayer {
    PatternPlayer(pattern, mixer)
  }

  /// Plays a pattern of a file at once; starts the engine if it is not started.
  ///
  /// - Throws: The error of the file, of the pattern, or of `start()`.
  open func playPattern(from fileURL: URL) throws {
    try play(CHHapticPattern(contentsOf: fileURL))
  }

  /// Plays a pattern of an AHAP file's bytes at once; starts the engine if it is not started.
  ///
  /// - Throws: The error of the pattern, or of `start()`.
  open func playPattern(from data: Data) throws { try play(CHHapticPattern(data: data)) }

  private func play(_ pattern: CHHapticPattern) throws {
    try mixer.start()
    try PatternPlayer(pattern, mixer).start(atTime: CHHapticTimeImmediate)
  }

  // MARK: Identity

  /// Whether both are the same object.
  public static func == (left: CHHapticEngine, right: CHHapticEngine) -> Bool { left === right }

  /// Hashes the identity of the object.
  open func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
