// SPDX-License-Identifier: Apache-2.0

/// An engine that plays haptic patterns on the motors of a controller.
///
/// `GCDeviceHaptics.createEngine(withLocality:)` of the module GameController makes one. If
/// patterns play at the same time, the motors get the highest of their strengths. Handlers are
/// called on a queue of the engine.
// A plain class: a subclass of NSObject cannot have the initializer that throws.
open class CHHapticEngine: Hashable {
  /// The type of a handler for the end of a start or stop; the error is nil on success.
  public typealias CompletionHandler = ((any Error)?) -> Void
  /// The type of a handler that is called when all players have ended, and returns the next action.
  public typealias FinishedHandler = ((any Error)?) -> FinishedAction
  /// The type of a handler for a stop that the program did not request with `stop`.
  public typealias StoppedHandler = (StoppedReason) -> Void
  /// The type of a handler for a restart of the system's service.
  public typealias ResetHandler = () -> Void

  /// The action of an engine when all its players have ended.
  public enum FinishedAction: Int, Sendable {
    /// The engine stops.
    case stopEngine = 1
    /// The engine stays started.
    case leaveEngineRunning = 2
  }

  /// The reason of a stop of an engine.
  ///
  /// hidsim gives only ``notifyWhenFinished`` and ``gameControllerDisconnect``.
  public enum StoppedReason: Int, Sendable {
    /// A fault of the system.
    case systemError = -1
    /// Another program uses the audio.
    case audioSessionInterrupt = 1
    /// The program is in the background.
    case applicationSuspended = 2
    /// Nothing has played for a while.
    case idleTimeout = 3
    /// A ``FinishedHandler`` has requested the stop.
    case notifyWhenFinished = 4
    /// The engine was destroyed.
    case engineDestroyed = 5
    /// The controller was disconnected.
    case gameControllerDisconnect = 6
  }

  private let mixer: Mixer
  private let reset = Slot<ResetHandler>({})

  /// Throws an error, since a machine with Linux has no motors of its own.
  ///
  /// - Throws: ``CHHapticError/Code/notSupported``.
  public init() throws {
    throw CHHapticError(
      .notSupported,
      "this machine has no haptic hardware; use GCDeviceHaptics.createEngine(withLocality:)")
  }

  /// Makes an engine for a set of motors.
  ///
  /// - Parameter send: Called with each new strength, from 0 to 1, one call at a time.
  package init(_ send: @escaping @Sendable (Float) -> Void) { mixer = Mixer(send) }

  deinit { mixer.stop() }

  /// Stops the engine after its motors were disconnected; it cannot start again.
  package func disconnect() { mixer.stop(.gameControllerDisconnect, isGone: true) }

  /// Returns the abilities of this machine's own motors: it has none.
  open class func capabilitiesForHardware() -> any CHHapticDeviceCapability {
    NoHapticHardware()
  }

  /// The current time of `CLOCK_MONOTONIC`, which engines use, in seconds.
  open var currentTime: TimeInterval { Mixer.now }

  /// Called when a started engine stops without a call of `stop`, except when it is released.
  open var stoppedHandler: StoppedHandler {
    get { mixer.stoppedHandler.value }
    set { mixer.stoppedHandler.value = newValue }
  }

  /// Called when the system's service has restarted: never on Linux.
  open var resetHandler: ResetHandler {
    get { reset.value }
    set { reset.value = newValue }
  }

  /// True if the engine plays no audio.
  ///
  /// The value has no effect: the engine never plays audio.
  open var playsHapticsOnly = true

  /// True if audio is muted; engines of controllers play no audio.
  open var isMutedForAudio = false

  /// True if the motors stay at rest while patterns play.
  open var isMutedForHaptics: Bool {
    get { mixer.isMuted }
    set { mixer.isMuted = newValue }
  }

  /// True if the engine stops when nothing has played for a while.
  ///
  /// hidsim only stores the value: an idle engine stays started.
  open var isAutoShutdownEnabled = false

  // MARK: Start and stop

  /// Starts the engine.
  ///
  /// - Throws: ``CHHapticError/Code/resourceNotAvailable`` if the controller was disconnected.
  open func start() throws { try mixer.start() }

  /// Starts the engine.
  ///
  /// - Throws: ``CHHapticError/Code/resourceNotAvailable`` if the controller was disconnected.
  open func start() async throws { try mixer.start() }

  /// Starts the engine and calls `completionHandler` with the error, or with nil on success.
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

  /// Stops the engine and its players, sets its strength to 0, and then calls `completionHandler`.
  ///
  /// The report to the controller is sent afterwards. If the program exits at once, the motors may
  /// stay on.
  open func stop(completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
    mixer.stop { completionHandler?(nil) }
  }

  /// Stops the engine and its players, and returns when its strength is 0.
  ///
  /// The report to the controller is sent afterwards. If the program exits at once, the motors may
  /// stay on.
  open func stop() async throws {
    await withCheckedContinuation { continuation in mixer.stop { continuation.resume() } }
  }

  /// Calls `finishedHandler` once, when no player is playing, paused or waiting for its time.
  ///
  /// A paused player that the program has released does not count.
  ///
  /// If several handlers are called at the same time, one ``FinishedAction/stopEngine`` stops the
  /// engine.
  open func notifyWhenPlayersFinished(finishedHandler: @escaping FinishedHandler) {
    mixer.notifyWhenFinished(finishedHandler)
  }

  // MARK: Players

  /// Makes a player for a pattern.
  open func makePlayer(with pattern: CHHapticPattern) throws -> any CHHapticPatternPlayer {
    PatternPlayer(pattern, mixer)
  }

  /// Makes a player for a pattern that can pause, repeat and change its speed.
  open func makeAdvancedPlayer(
    with pattern: CHHapticPattern
  ) throws -> any CHHapticAdvancedPatternPlayer {
    PatternPlayer(pattern, mixer)
  }

  /// Plays a pattern from a file at once; starts the engine if it is not started.
  ///
  /// - Throws: The error of the file, of the pattern, or of `start()`.
  open func playPattern(from fileURL: URL) throws {
    try play(CHHapticPattern(contentsOf: fileURL))
  }

  /// Plays a pattern from the bytes of an AHAP file at once; starts the engine if it is not
  /// started.
  ///
  /// - Throws: The error of the pattern, or of `start()`.
  open func playPattern(from data: Data) throws { try play(CHHapticPattern(data: data)) }

  private func play(_ pattern: CHHapticPattern) throws {
    try mixer.start()
    try PatternPlayer(pattern, mixer).start(atTime: CHHapticTimeImmediate)
  }

  // MARK: Identity

  /// Returns whether both are the same object.
  public static func == (left: CHHapticEngine, right: CHHapticEngine) -> Bool { left === right }

  /// Hashes the identity of the object.
  open func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
