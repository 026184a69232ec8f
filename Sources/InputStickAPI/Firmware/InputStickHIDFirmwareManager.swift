// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The progress of the start of the firmware of a stick, which is a simulated InputStick.
public enum InputStickFirmwareInitState: UInt8, Sendable {
  /// The start has not begun, or the link has ended.
  case none = 0
  /// The client has sent the first packet.
  case started = 1
  /// The information about the firmware is known.
  case authenticating = 2
  /// The client has authenticated, or need not authenticate.
  case authenticated = 3
  /// The stick has sent the first status after the authentication.
  case completed = 4
}

/// The manager that starts the firmware of a stick, and then follows the state of USB.
///
/// The start has three steps: the information about the firmware, the password, and the first
/// status.
open class InputStickHIDFirmwareManager: NSObject, InputStickFirmwareManagerProtocol {
  /// The time limit of an attempt to start, in milliseconds.
  private static let startTimeout = 3000
  private static let startAttempts = 2
  /// The time limits for the host to configure the stick, at the start and later, in milliseconds.
  private static let usbTimeoutAtStart = 15_000
  private static let usbTimeout = 30_000
  /// The number of answers to authentications from which on a wrong answer ends the connection.
  ///
  /// An earlier wrong answer starts another authentication.
  private static let verificationAttempts = 5
  /// The requested time between two status notifications, in units of 100 ms.
  private static let statusInterval: UInt8 = 4

  private weak var manager: InputStickManager?
  /// The entry of the stick on the link; nil until the stick has reported its firmware.
  private var deviceData: InputStickDeviceData?
  private var state = InputStickFirmwareInitState.none
  private var usbState: UInt8 = 0
  /// The key of a password that the stick has not confirmed, and the password's text if it will be
  /// stored.
  private var newKey: Data?
  private var newPlainText: String?
  private var authenticationCount = 0
  private var answerCount = 0
  private var startCount = 0
  private let startTimer = StickTimer<InputStickHIDFirmwareManager>()
  private let usbTimer = StickTimer<InputStickHIDFirmwareManager>()

  /// Makes a firmware manager.
  public init!(inputStickManager manager: InputStickManager!) { self.manager = manager }

  // MARK: InputStickFirmwareManagerProtocol

  /// Starts the firmware: sends the first packet, and sends it once more if the start takes longer
  /// than 3 s.
  ///
  /// After another 3 s, the manager disconnects with an error.
  open func startInitialization() {
    stopTimers()
    state = .started
    usbState = 0
    startCount = 1
    start()
  }

  /// Breaks off the start of the firmware and stops its time limits, when an attempt to connect
  /// begins and when the link has ended.
  ///
  /// Packets are ignored until ``startInitialization()`` is called.
  open func reset() {
    state = .none
    deviceData = nil
    stopTimers()
  }

  /// Processes a packet from the stick.
  open func processPacket(_ rxPacket: InputStickRxPacket!) {
    guard let rxPacket, state != .none, let manager else { return }
    switch InputStickCmd(rxPacket.command) {
    case .CmdRunFirmware:
      newKey = nil
      authenticationCount = 0
      answerCount = 0
      manager.setEncryptionStatus(false)
      send(.CmdGetFirmwareInfo, wantsAnswer: true)
    case .CmdGetFirmwareInfo: takeFirmwareInfo(rxPacket)
    case .CmdAuthenticate, .CmdAuthenticateHMAC: takeAuthentication(rxPacket)
    case .CmdHIDStatusNotification: takeUSBState(rxPacket.byte(0))
    case .CmdErrorNotification: fail(.INPUTSTICK_ERROR_PACKET_TX_GENERAL)
    default: break
    }
  }

  /// Authenticates with a password of the user.
  ///
  /// Before the stick has reported its firmware, a password starts no authentication.
  ///
  /// - Parameters:
  ///   - password: The password; nil removes the stored key if the stick has reported its firmware,
  ///     and starts the firmware again.
  ///   - savePlainText: True to store the text, once the stick has confirmed the password.
  open func updateDevicePassword(_ password: String!, savePlainText: Bool) {
    guard let password else {
      deviceData?.key = nil
      return startInitialization()
    }
    newKey = InputStickEncryptionManager.md5(from: password)
    newPlainText = savePlainText ? password : nil
    authenticate()
  }

  // MARK: Steps

  private func start() {
    startTimer.start(Self.startTimeout, of: self, in: manager?.environment) { $0.startTimeout() }
    send(.CmdRunFirmware, wantsAnswer: true)
  }

  private func startTimeout() {
    guard startCount < Self.startAttempts else {
      return fail(.INPUTSTICK_ERROR_FW_INIT_TIMEDOUT)
    }
    startCount += 1
    start()
  }

  private func takeFirmwareInfo(_ packet: InputStickRxPacket) {
    guard let manager, let data = manager.addConectedDeviceToDatabase() else { return }
    deviceData = data
    data.updateDeviceInfo(with: packet)
    state = .authenticating
    switch (packet.passwordProtectionEnabled, data.key != nil) {
    case (true, true): authenticate()
    case (true, false):
      data.passwordProtectionStatus = .PasswordProtectionEnabledNoKey
      // Count the missing key as the first attempt, so that a later refusal means an invalid key.
      // Another answer to 0x10 is no further attempt.
      authenticationCount = 1
      askForKey()
    case (false, false):
      data.passwordProtectionStatus = .PasswordProtectionDisabledOK
      didAuthenticate()
    case (false, true):
      data.passwordProtectionStatus = .PasswordProtectionDisabledHasKey
      stopTimers()
      manager.presentEncryptionKeyDialog(data, request: .keyRemoved)
    }
  }

  private func authenticate() {
    guard let manager, let deviceData else { return }
    guard InputStickEncryptionManager.isSupported() else {
      return fail(.INPUTSTICK_ERROR_ENCRYPTION_NOT_SUPPORTED_APP)
    }
    manager.encryptionManager.resetState(withKey: newKey ?? deviceData.key)
    authenticationCount += 1
    manager.send(
      manager.encryptionManager.prepareAuthenticatePacket(deviceData.supportsHMAC()))
  }

  private func takeAuthentication(_ packet: InputStickRxPacket) {
    guard let manager, let deviceData else { return }
    answerCount += 1
    switch packet.respCode {
    case 0x01:
      guard manager.encryptionManager.verifyAuthenticationResponsePacket(packet) else {
        guard answerCount >= Self.verificationAttempts else { return authenticate() }
        deviceData.passwordProtectionStatus = .PasswordProtectionEnabledInvalidKey
        return fail(.INPUTSTICK_ERROR_ENCRYPTION_VERIFICATION_FAILED)
      }
      if let newKey {
        deviceData.key = newKey
        deviceData.plainText = newPlainText
        (self.newKey, newPlainText) = (nil, nil)
      }
      manager.setEncryptionStatus(true)
      deviceData.passwordProtectionStatus = .PasswordProtectionEnabledOK
      didAuthenticate()
    case 0x20:
      deviceData.passwordProtectionStatus = .PasswordProtectionEnabledInvalidKey
      askForKey()
    case 0x21: fail(.INPUTSTICK_ERROR_ENCRYPTION_KEY_REMOVED)
    case 0xFF: fail(.INPUTSTICK_ERROR_ENCRYPTION_NOT_SUPPORTED_DEVICE)
    default: fail(.INPUTSTICK_ERROR_ENCRYPTION_GENERAL)
    }
  }

  private func askForKey() {
    stopTimers()
    let request: InputStickKeyRequest =
      authenticationCount != 1 ? .keyInvalid : deviceData?.key == nil ? .keyMissing : .keyChanged
    manager?.presentEncryptionKeyDialog(deviceData, request: request)
  }

  private func didAuthenticate() {
    stopTimers()
    startUSBTimer(Self.usbTimeoutAtStart)
    if deviceData?.supportsCustomUpdateNotificationInterval() == true {
      send(.CmdSetUpdateInterval, Self.statusInterval, wantsAnswer: false)
    }
    state = .authenticated
  }

  // MARK: USB

  private func takeUSBState(_ byte: UInt8) {
    guard let manager else { return }
    let before = usbState
    usbState = byte
    manager.setUSBState(InputStickUSBState(rawValue: UInt(byte)) ?? .USBDisconnected)
    switch state {
    case .authenticated:
      state = .completed
      takeFirstUSBState(byte)
    case .completed where byte != before:
      switch byte {
      case 5:
        stopTimers()
        manager.setConnectionState(.ready)
      case 3:
        manager.setConnectionState(.usbSuspended)
        startUSBTimer(Self.usbTimeout)
      default:
        manager.setConnectionState(.usbNotReady)
        startUSBTimer(Self.usbTimeout)
      }
    default: break
    }
  }

  private func takeFirstUSBState(_ byte: UInt8) {
    guard let manager else { return }
    switch byte {
    case 5:
      stopTimers()
      manager.setConnectionState(.ready)
      if deviceData?.shouldDisplayFirmwareUpdateMessage() == true {
        manager.presentFirmwareUpdateDialog(deviceData)
      }
    case 3:
      stopTimers()
      manager.setConnectionState(.usbSuspended)
      // An observer of the state may have disconnected the stick.
      if let deviceData { manager.presentUSBResumeDialog(deviceData) }
    default: manager.setConnectionState(.usbNotReady)
    }
  }

  /// Starts the time limit for the host, and replaces a limit that is running.
  private func startUSBTimer(_ milliseconds: Int) {
    usbTimer.start(milliseconds, of: self, in: manager?.environment) { manager in
      manager.fail(
        manager.usbState == 3
          ? .INPUTSTICK_ERROR_FW_USB_SUSPENDED : .INPUTSTICK_ERROR_FW_USB_NOT_READY)
    }
  }

  // MARK: Helpers

  private func stopTimers() {
    startTimer.stop()
    usbTimer.stop()
  }

  private func send(_ command: InputStickCmd, _ parameter: UInt8 = 0, wantsAnswer: Bool) {
    let packet = InputStickTxPacket(cmd: command, withParam: parameter)
    packet?.requiresResponse = wantsAnswer
    manager?.send(packet)
  }

  private func fail(_ code: InputStickErrorCode) { manager?.disconnectWith(code) }
}
