// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// How far the firmware of a stick has started.
public enum InputStickFirmwareInitState: UInt8, Sendable {
  /// There is no link.
  case none = 0
  /// The first packet was sent.
  case started = 1
  /// The facts of the firmware are known.
  case authenticating = 2
  /// The client has authenticated, or need not.
  case authenticated = 3
  /// The first status has come.
  case completed = 4
}

/// Starts the firmware of a stick: its facts, the password, the first status; then follows USB.
open class InputStickHIDFirmwareManager: NSObject, InputStickFirmwareManagerProtocol {
  /// The limit of an attempt to start, in milliseconds.
  private static let startTimeout = 3000
  private static let startAttempts = 2
  /// How long the host may take to configure the stick: at the start, and later.
  private static let usbTimeoutAtStart = 15_000
  private static let usbTimeout = 30_000
  /// How many answers to an authentication may be wrong.
  private static let verificationAttempts = 5
  /// The time between two statuses that is asked for, in units of 100 ms.
  private static let statusInterval: UInt8 = 4

  private weak var manager: InputStickManager?
  private var deviceData: InputStickDeviceData?
  private var state = InputStickFirmwareInitState.none
  private var usbState: UInt8 = 0
  /// The key of a password that the stick has not confirmed, and its text if it is to be kept.
  private var newKey: Data?
  private var newPlainText: String?
  private var authenticationCount = 0
  private var answerCount = 0
  private var startCount = 0
  private let startTimer = StickTimer<InputStickHIDFirmwareManager>()
  private let usbTimer = StickTimer<InputStickHIDFirmwareManager>()

  /// Makes a manager.
  public init!(inputStickManager manager: InputStickManager!) { self.manager = manager }

  // MARK: InputStickFirmwareManagerProtocol

  /// Starts: sends the first packet, and again after 3 s without an end.
  open func startInitialization() {
    stopTimers()
    state = .started
    usbState = 0
    startCount = 1
    start()
  }

  /// Ends: the link has gone.
  open func reset() {
    state = .none
    stopTimers()
  }

  /// Takes a packet of the stick.
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

  /// Takes a password of the user.
  ///
  /// - Parameters:
  ///   - password: The password; nil removes the stored key, and starts again.
  ///   - savePlainText: Whether the text is stored, once the stick has confirmed it.
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
      // The stick refuses a client without a key: the first attempt.
      authenticationCount += 1
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
      manager.presentUSBResumeDialog(deviceData)
    default: manager.setConnectionState(.usbNotReady)
    }
  }

  /// Starts to wait for the host; a wait that goes on is replaced.
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
