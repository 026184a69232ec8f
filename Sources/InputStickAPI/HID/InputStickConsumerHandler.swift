// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// A usage of the Consumer page.
///
/// As with an enumeration of Objective-C, a value can be any usage, not only a named one.
/// The reports of the stick have usages up to 0x03FF.
public struct InputStickConsumerActions: RawRepresentable, Hashable, Sendable {
  /// The usage ID.
  public let rawValue: UInt

  /// Makes an action with any usage; never nil.
  public init?(rawValue: UInt) { self.rawValue = rawValue }

  private init(_ rawValue: UInt) { self.rawValue = rawValue }

  /// Turns the volume up.
  public static let ConsumerActionVolumeUp = InputStickConsumerActions(0x00E9)
  /// Turns the volume down.
  public static let ConsumerActionVolumeDown = InputStickConsumerActions(0x00EA)
  /// Mutes the sound.
  public static let ConsumerActionVolumeMute = InputStickConsumerActions(0x00E2)
  /// Plays the next track.
  public static let ConsumerActionTrackNext = InputStickConsumerActions(0x00B5)
  /// Plays the previous track.
  public static let ConsumerActionTrackPrevious = InputStickConsumerActions(0x00B6)
  /// Stops playing.
  public static let ConsumerActionStop = InputStickConsumerActions(0x00B7)
  /// Plays or pauses.
  public static let ConsumerActionPlayPause = InputStickConsumerActions(0x00CD)
  /// Starts the browser.
  public static let ConsumerActionLaunchBrowser = InputStickConsumerActions(0x0196)
  /// Starts the mail program.
  public static let ConsumerActionLaunchEmail = InputStickConsumerActions(0x018A)
  /// Starts the calculator.
  public static let ConsumerActionLaunchCalc = InputStickConsumerActions(0x0192)
  /// Shows the home page.
  public static let ConsumerActionHome = InputStickConsumerActions(0x0223)
  /// Shows the previous page.
  public static let ConsumerActionBack = InputStickConsumerActions(0x0224)
  /// Shows the next page.
  public static let ConsumerActionForward = InputStickConsumerActions(0x0225)
  /// Reloads the page.
  public static let ConsumerActionRefresh = InputStickConsumerActions(0x0227)
  /// Starts a search.
  public static let ConsumerActionSearch = InputStickConsumerActions(0x0221)
}

/// The actions of power keys.
public enum InputStickSystemActions: UInt8, Sendable {
  /// Powers down the host.
  case SystemActionPowerDown = 1
  /// Puts the host to sleep.
  case SystemActionSleep = 2
  /// Wakes up the host.
  case SystemActionWakeup = 3
}

/// The handler that sends media and power keys.
///
/// The reports are lost unless the manager is ready.
open class InputStickConsumerHandler: NSObject, InputStickHIDHandler {
  /// The manager.
  open private(set) weak var inputStickManager: InputStickManager!

  /// Makes a handler.
  public init!(inputStickManager: InputStickManager!) {
    super.init()
    self.inputStickManager = inputStickManager
  }

  /// Makes a report with a usage, without sending it.
  open func customReport(
    with reportId: InputStickReportID, lsbUsage: UInt8, msbUsage: UInt8
  ) -> InputStickHIDReport! {
    InputStickHIDReport([reportId.rawValue, lsbUsage, msbUsage], .CmdHIDDataConsumer)
  }

  /// Queues a report; the key stays pressed until the host gets a report with the same ID and
  /// another usage.
  ///
  /// If `flush` is false, the report is not sent before the next status of the stick or the next
  /// flush.
  open func sendCustomReport(
    with reportId: InputStickReportID, lsbUsage: UInt8, msbUsage: UInt8, flush: Bool
  ) {
    inputStickManager?.buffersManager.addConsumerHIDReport(
      customReport(with: reportId, lsbUsage: lsbUsage, msbUsage: msbUsage), flush: flush)
  }

  /// Queues reports that press and release a media key.
  open func consumerAction(withUsage usage: InputStickConsumerActions) {
    press(.consumerReportID, usage.rawValue)
  }

  /// Queues reports that press and release a power key.
  open func systemAction(withUsage usage: InputStickSystemActions) {
    press(.systemReportID, UInt(usage.rawValue))
  }

  private func press(_ id: InputStickReportID, _ usage: UInt) {
    let transaction = InputStickHIDTransaction.consumer()
    for value in [usage, 0] {
      transaction?.add(
        customReport(
          with: id, lsbUsage: UInt8(truncatingIfNeeded: value),
          msbUsage: UInt8(truncatingIfNeeded: value >> 8)))
    }
    inputStickManager?.buffersManager.addConsumerHIDTransaction(transaction, flush: true)
  }
}
