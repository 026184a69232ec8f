// SPDX-License-Identifier: Apache-2.0

/// The domain of errors of this module.
public let CoreHapticsErrorDomain = "com.apple.CoreHaptics"

/// An error of a haptic engine, a player or a pattern.
public struct CHHapticError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
  /// The kind of a failure.
  ///
  /// The raw values are those of Apple's headers.
  public enum Code: Int, Sendable {
    /// The engine is not started.
    case engineNotRunning = -4805
    /// The state of the engine or player forbids the operation.
    case operationNotPermitted = -4806
    /// The engine did not start in time.
    case engineStartTimeout = -4808
    /// The machine or controller does not support the operation.
    case notSupported = -4809
    /// The engine could not start.
    case serverInitFailed = -4810
    /// The engine was interrupted.
    case serverInterrupted = -4811
    /// The player does not belong to this engine.
    case invalidPatternPlayer = -4812
    /// The pattern's data is not valid.
    case invalidPatternData = -4813
    /// The pattern's dictionary is not valid.
    case invalidPatternDictionary = -4814
    /// The audio session is not valid.
    case invalidAudioSession = -4815
    /// The parameter of an engine is not valid.
    case invalidEngineParameter = -4816
    /// There is no such parameter.
    case invalidParameterType = -4820
    /// There is no such type of event.
    case invalidEventType = -4821
    /// The time of an event is negative, infinite or NaN.
    case invalidEventTime = -4822
    /// The duration of an event is NaN or negative.
    case invalidEventDuration = -4823
    /// The audio resource is not valid.
    case invalidAudioResource = -4824
    /// The controller was disconnected, or a resource is missing.
    case resourceNotAvailable = -4825
    /// An entry or an event of a pattern is not valid.
    case badEventEntry = -4830
    /// A parameter or a curve is not valid.
    case badParameterEntry = -4831
    /// A time is not valid.
    case invalidTime = -4840
    /// The file does not exist.
    case fileNotFound = -4851
    /// The battery is too low.
    case insufficientPower = -4897
    /// The reason is not known.
    case unknownError = -4898
    /// There is not enough memory.
    case memoryError = -4899

    /// Returns whether an error is a ``CHHapticError`` with a code.
    ///
    /// It allows `catch CHHapticError.notSupported`.
    public static func ~= (code: Self, error: any Error) -> Bool {
      (error as? CHHapticError)?.code == code
    }
  }

  /// The kind of the failure.
  public let code: Code
  /// The error of Foundation that keeps the dictionary.
  ///
  /// A dictionary with values of any type could be neither compared nor sent.
  private let base: NSError

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of the failure.
  ///   - userInfo: The ``errorUserInfo`` of the error. The text of its `NSLocalizedDescriptionKey`
  ///     becomes the description of the error; without one the description names the code.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let reason = userInfo[NSLocalizedDescriptionKey] as? String ?? "Core Haptics: \(code)"
    self.code = code
    base = NSError(
      domain: CoreHapticsErrorDomain, code: code.rawValue,
      userInfo: userInfo.merging([NSLocalizedDescriptionKey: reason]) { $1 })
  }

  init(_ code: Code, _ reason: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: reason])
  }

  /// The text that describes the failure.
  public var errorDescription: String? { base.userInfo[NSLocalizedDescriptionKey] as? String }
  /// ``CoreHapticsErrorDomain``.
  public static var errorDomain: String { CoreHapticsErrorDomain }
  /// The dictionary with which the error was made, and the description of the error.
  public var errorUserInfo: [String: Any] { base.userInfo }
  /// The raw value of ``code``.
  public var errorCode: Int { code.rawValue }

  /// The engine is not started.
  public static var engineNotRunning: Code { .engineNotRunning }
  /// The state of the engine or player forbids the operation.
  public static var operationNotPermitted: Code { .operationNotPermitted }
  /// The engine did not start in time.
  public static var engineStartTimeout: Code { .engineStartTimeout }
  /// The machine or controller does not support the operation.
  public static var notSupported: Code { .notSupported }
  /// The engine could not start.
  public static var serverInitFailed: Code { .serverInitFailed }
  /// The engine was interrupted.
  public static var serverInterrupted: Code { .serverInterrupted }
  /// The player does not belong to this engine.
  public static var invalidPatternPlayer: Code { .invalidPatternPlayer }
  /// The pattern's data is not valid.
  public static var invalidPatternData: Code { .invalidPatternData }
  /// The pattern's dictionary is not valid.
  public static var invalidPatternDictionary: Code { .invalidPatternDictionary }
  /// The audio session is not valid.
  public static var invalidAudioSession: Code { .invalidAudioSession }
  /// The parameter of an engine is not valid.
  public static var invalidEngineParameter: Code { .invalidEngineParameter }
  /// There is no such parameter.
  public static var invalidParameterType: Code { .invalidParameterType }
  /// There is no such type of event.
  public static var invalidEventType: Code { .invalidEventType }
  /// The time of an event is negative, infinite or NaN.
  public static var invalidEventTime: Code { .invalidEventTime }
  /// The duration of an event is NaN or negative.
  public static var invalidEventDuration: Code { .invalidEventDuration }
  /// The audio resource is not valid.
  public static var invalidAudioResource: Code { .invalidAudioResource }
  /// The controller was disconnected, or a resource is missing.
  public static var resourceNotAvailable: Code { .resourceNotAvailable }
  /// An entry or an event of a pattern is not valid.
  public static var badEventEntry: Code { .badEventEntry }
  /// A parameter or a curve is not valid.
  public static var badParameterEntry: Code { .badParameterEntry }
  /// A time is not valid.
  public static var invalidTime: Code { .invalidTime }
  /// The file does not exist.
  public static var fileNotFound: Code { .fileNotFound }
  /// The battery is too low.
  public static var insufficientPower: Code { .insufficientPower }
  /// The reason is not known.
  public static var unknownError: Code { .unknownError }
  /// There is not enough memory.
  public static var memoryError: Code { .memoryError }
}
