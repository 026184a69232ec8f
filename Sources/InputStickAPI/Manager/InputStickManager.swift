// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// The manager that connects to a stick, and provides the handlers that send reports through it.
///
/// A stick is a simulated InputStick: a USB device that a client drives by packets on a link. The
/// link is the connection between the two. The host is the machine that the stick is plugged into.
///
/// Use a manager and its parts on the main queue. The manager also calls its delegate and observers
/// on the main queue.
open class InputStickManager: NSObject {
  /// The delegate that asks and informs the user.
  open weak var delegate: (any InputStickManagerDelegate)!
  /// The delegate that is called instead of ``delegate``; nil to call ``delegate``.
  open weak var inputStickMenuDelegate: (any InputStickManagerDelegate)!

  /// The manager that finds sticks, and has the link.
  open private(set) var connectionManager: InputStickConnectionManager!
  /// The encryption of the link.
  open private(set) var encryptionManager: InputStickEncryptionManager!
  /// The store of the sticks that were used.
  open private(set) var deviceDB: InputStickDeviceDB!
  /// The manager that starts the firmware of a stick.
  ///
  /// If the property is set while ``connectionState`` is ready, the firmware is started at once.
  open var firmwareManager: (any InputStickFirmwareManagerProtocol)! {
    didSet { if connectionState == .ready { firmwareManager?.startInitialization() } }
  }
  /// The user defaults in which the manager stores the sticks, the last used stick, and whether
  /// automatic connections are allowed.
  open private(set) var userDefaults: UserDefaults!

  /// The buffers of reports.
  open var buffersManager: InputStickHIDBuffersManager!
  /// The handler that sends keys and text.
  open var keyboardHandler: InputStickKeyboardHandler!
  /// The handler that sends buttons and movements of a mouse.
  open var mouseHandler: InputStickMouseHandler!
  /// The handler that sends media and power keys.
  open var consumerHandler: InputStickConsumerHandler!
  /// The handler that sends touches.
  open var touchScreenHandler: InputStickTouchScreenHandler!
  /// The handler that sends the state of a gamepad.
  open var gamepadHandler: InputStickGamepadHandler!

  /// The state of the connection.
  open private(set) var connectionState = InputStickConnectionState.disconnected
  /// The state of the stick on USB, as its last status reported it.
  ///
  /// It is ``InputStickUSBState/USBDisconnected`` without a link, and before the first status.
  open private(set) var usbState = InputStickUSBState.USBDisconnected
  /// True if packets are encrypted.
  ///
  /// After the end of the link the value stays until another connection is started.
  open private(set) var encryptionEnabled = false
  /// The version of the firmware: 100 is 1.00; 0 from the start of a connection until the stick has
  /// reported it.
  open private(set) var firmwareVersion: UInt = 0
  /// The error with which the last connection failed or ended; nil without an error.
  open private(set) var lastError: (any Error)!
  /// The time of ``lastError``, in seconds since 1970; 0 without an error.
  open private(set) var lastErrorTime: UInt = 0
  /// The mode in which the last connection was started.
  open private(set) var lastConnectionAttemptMode = InputStickConnectionMode.none
  /// The identifier of the last connection attempt; nil for the nearest stick, for an attempt with
  /// nil, and before the first attempt.
  open private(set) var lastConnectionAttemptInputStickIdentifier: String!

  let environment: any StickEnvironment
  private var keyboardLEDs: UInt8 = 0

  /// Makes a manager that stores its data in the standard user defaults.
  ///
  /// The caller must run on the main queue.
  public convenience override init() { self.init(suiteName: nil) }

  /// Makes a manager that stores its data in a suite of user defaults.
  ///
  /// The caller must run on the main queue.
  ///
  /// - Parameter suiteName: The suite; nil for the standard user defaults.
  public convenience init!(suiteName: String!) {
    precondition(
      LocalStickEnvironment.isOnMainQueue,
      "make an InputStickManager on the main queue, for example in a @MainActor function: its "
        + "callbacks come there")
    self.init(suiteName: suiteName, environment: LocalStickEnvironment())
  }

  /// Makes a manager that stores its data in the given user defaults.
  @MainActor package convenience init(storingIn defaults: UserDefaults) {
    self.init(storingIn: defaults, environment: LocalStickEnvironment())
  }

  /// Makes a manager that stores its data in a suite of user defaults, with the clock and the
  /// sticks of an environment.
  package convenience init(suiteName: String?, environment: any StickEnvironment) {
    self.init(
      storingIn: UserDefaults(suiteName: suiteName) ?? .standard, environment: environment)
  }

  /// Makes a manager that stores its data in the given user defaults, with the clock and the sticks
  /// of an environment.
  package init(storingIn defaults: UserDefaults, environment: any StickEnvironment) {
    self.environment = environment
    super.init()
    userDefaults = defaults
    encryptionManager = InputStickEncryptionManager(random: environment.randomBytes)
    deviceDB = InputStickDeviceDB(inputStickManager: self)
    connectionManager = InputStickConnectionManager(inputStickManager: self)
    firmwareManager = InputStickHIDFirmwareManager(inputStickManager: self)
    buffersManager = InputStickHIDBuffersManager(inputStickManager: self)
    keyboardHandler = InputStickKeyboardHandler(inputStickManager: self)
    mouseHandler = InputStickMouseHandler(inputStickManager: self)
    consumerHandler = InputStickConsumerHandler(inputStickManager: self)
    touchScreenHandler = InputStickTouchScreenHandler(inputStickManager: self)
    gamepadHandler = InputStickGamepadHandler(inputStickManager: self)
  }

  // MARK: Facts

  /// True always: links need no radio.
  open var bluetoothOn: Bool { connectionManager.bluetoothOn }
  /// True always: links need no Bluetooth.
  open var bluetoothSupported: Bool { connectionManager.bluetoothSupported }
  /// True if there is no connection, and no attempt to connect.
  open var inputStickDicsonnected: Bool { connectionState == .disconnected }
  /// True if reports can be sent.
  open var inputStickReady: Bool { connectionState == .ready }
  /// The entry of the connected stick in ``deviceDB``; nil without a link, and before the stick is
  /// stored.
  open var connectedInputStickDeviceData: InputStickDeviceData! {
    connectionManager.connected
      ? deviceDB.getDataForDevice(withIdentifier: connectionManager.connectedIdentifier) : nil
  }
  /// The identifier of the connected stick; nil without one.
  open var connectedInputStickIdentifier: String! { connectionManager.connectedIdentifier }
  /// The Bluetooth name of the connected stick; nil without one.
  ///
  /// It is ``InputStickBluetoothDefaultName`` if no scan of this manager had found the stick when
  /// it was connected.
  open var connectedInputStickBluetoothName: String! {
    connectedInputStickIdentifier == nil ? nil : connectionManager.connectedName
  }
  /// Returns whether at least one stick is stored.
  open func hasStoredDeviceIdentifier() -> Bool { deviceDB.numberOfStoredDevices > 0 }

  // MARK: Connecting

  /// Starts to connect to a stick.
  ///
  /// An earlier attempt ends, an open link is closed, and reports that wait are lost.
  ///
  /// - Parameter identifier: The stick's identifier from a scan, or the address at which its
  ///   clients connect: `unix:PATH`, `tcp:PORT`, `pty:PATH`, or the path of a terminal in `/dev`.
  ///   nil neither starts nor ends a connection, but removes the reports that wait, and resets
  ///   ``lastError`` and the other results of the last attempt.
  open func connectToInputStick(withIdentifier identifier: String!) {
    begin(.customDevice, identifier)
    connectionManager.connectToPeripheral(
      withIdentifier: identifier, orNearestStoredIfNotFound: false)
  }

  /// Starts to connect to the last used stick, as ``connectToInputStick(withIdentifier:)`` does.
  ///
  /// If no stick is stored, if none was used yet, or if the last used one is not stored any more,
  /// the delegate gets an error, and nothing changes.
  open func connectToLastInputStick() {
    guard hasStoredDeviceIdentifier() else {
      return showErrorMessage(
        InputStickError.getNSError(with: .INPUTSTICK_ERROR_APP_NO_DEVICES_STORED))
    }
    guard let identifier = deviceDB.getMostRecentlyUsedDeviceIdentifier() else {
      return showErrorMessage(
        InputStickError.getNSError(with: .INPUTSTICK_ERROR_APP_MOST_RECENT_DEVICE_REMOVED))
    }
    begin(.lastDevice, identifier)
    connectionManager.connectToPeripheral(
      withIdentifier: identifier, orNearestStoredIfNotFound: false)
  }

  /// Starts to connect to the last used stick, without an action of the user.
  ///
  /// An earlier attempt ends, an open link is closed, and reports that wait are lost.
  ///
  /// After an attempt of this function, further calls do nothing until a connection has reached
  /// ``InputStickConnectionState/ready``, or ``reEnableAutoConnect()`` is called. This holds for
  /// all programs and runs with the same ``userDefaults``.
  ///
  /// - Returns: True if an attempt was started.
  @discardableResult open func autoConnectLastInputStick() -> Bool {
    guard hasStoredDeviceIdentifier(),
      !userDefaults.bool(forKey: InputStickAutoConnectFailedKey),
      let identifier = deviceDB.getMostRecentlyUsedDeviceIdentifier()
    else { return false }
    userDefaults.set(true, forKey: InputStickAutoConnectFailedKey)
    begin(.autoConnectLastDevice, identifier)
    connectionManager.connectToPeripheral(
      withIdentifier: identifier, orNearestStoredIfNotFound: false)
    return true
  }

  /// Starts a scan, and connects after 5 s to the stored stick with the strongest signal.
  ///
  /// An earlier attempt ends, an open link is closed, and reports that wait are lost.
  ///
  /// If no stick is stored, the delegate gets an error, and nothing changes. If the scan finds no
  /// stored stick, the attempt ends with an error.
  open func connectToNearsetStoredInputStick() {
    guard hasStoredDeviceIdentifier() else {
      return showErrorMessage(
        InputStickError.getNSError(with: .INPUTSTICK_ERROR_APP_NO_DEVICES_STORED))
    }
    begin(.nearestDevice, nil)
    connectionManager.connectToNearestStoredPeripheral()
  }

  /// Calls the function that started the last connection attempt once more.
  ///
  /// Before the first attempt nothing happens. ``autoConnectLastInputStick()`` does nothing after a
  /// failure, and ``connectToLastInputStick()`` connects to the stick that is now the last used
  /// one.
  open func retryConnectionAttempt() {
    switch lastConnectionAttemptMode {
    case .none: break
    case .customDevice:
      connectToInputStick(withIdentifier: lastConnectionAttemptInputStickIdentifier)
    case .lastDevice: connectToLastInputStick()
    case .autoConnectLastDevice: autoConnectLastInputStick()
    case .nearestDevice: connectToNearsetStoredInputStick()
    }
  }

  private func begin(_ mode: InputStickConnectionMode, _ identifier: String?) {
    lastConnectionAttemptMode = mode
    lastConnectionAttemptInputStickIdentifier = identifier
    buffersManager.updateFirmwareVersion(0)
    lastError = nil
    lastErrorTime = 0
    usbState = .USBDisconnected
    keyboardLEDs = 0
    keyboardHandler?.setKeyboardLEDsState(nil)
    encryptionEnabled = false
    firmwareVersion = 0
  }

  /// Disconnects the stick, or ends an attempt to connect; a running scan continues.
  open func disconnectFromInputStick() {
    guard connectionState != .disconnected else { return }
    connectionManager.disconnectFromPeripheral()
    didDisconnect(.INPUTSTICK_ERROR_NONE)
  }

  /// Authenticates at the connected stick with a password of the user; without a link, nothing
  /// happens.
  ///
  /// Before the stick has reported its firmware, a password starts no authentication.
  ///
  /// - Parameters:
  ///   - password: The password; nil removes the stored key if the stick has reported its firmware,
  ///     and starts the firmware again.
  ///   - savePlainText: True to store the text, once the stick has confirmed the password.
  open func updateDevicePassword(_ password: String!, savePlainText: Bool) {
    guard connectionManager.connected else { return }
    firmwareManager?.updateDevicePassword(password, savePlainText: savePlainText)
  }

  // MARK: Scanning

  /// Starts a scan for sticks.
  ///
  /// - Parameter enableTimeout: True to end the scan after 15 s.
  open func startBluetoothPeripheralScan(withTimeout enableTimeout: Bool) {
    connectionManager.startBluetoothPeripheralScan(withTimeout: enableTimeout)
  }

  /// Ends the scan for sticks.
  open func stopBluetoothPeripheralScan() { connectionManager.stopBluetoothPeripheralScan() }

  // MARK: Packets

  /// Sends a packet; nothing happens without a link, or if the packet cannot be encrypted.
  open func send(_ txPacket: InputStickTxPacket!) { connectionManager.send(txPacket) }

  /// Asks the stick to wake up its host; nothing happens unless the state is `usbSuspended`.
  open func sendUSBResumeRequest() {
    guard connectionState == .usbSuspended else { return }
    send(InputStickTxPacket(cmd: .CmdUSBResume))
  }

  // MARK: Pictures of a program

  /// Sets the state to ready without a stick, for screenshots of a program; reports are lost.
  open func setDummyConnectedState() { setConnectionState(.ready) }

  /// Stores the entry of a stick that does not exist, for screenshots of a program.
  open func addDummyDevice() {
    _ = deviceDB.createDevice(
      withIdentifier: "12345678-ABCD-1234-ABCD-1234567890AB", withPreferredName: "MyInputStick")
  }

  // MARK: For the parts of the library

  private var asked: (any InputStickManagerDelegate)? { inputStickMenuDelegate ?? delegate }

  /// Asks the delegate to show an error.
  open func presentErrorDialog(_ error: (any Error)!) {
    asked?.inputStickManager(self, presentErrorDialog: error)
  }

  /// Asks the delegate to ask the user for a password; disconnects if the delegate is nil or
  /// returns false.
  open func presentEncryptionKeyDialog(
    _ deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) {
    let isAsked =
      asked?.inputStickManager(self, presentEncryptionKeyDialog: deviceData, request: request)
    guard isAsked != true else { return }
    switch request {
    case .keyMissing: disconnectWith(.INPUTSTICK_ERROR_ENCRYPTION_NO_KEY)
    case .keyChanged, .keyInvalid: disconnectWith(.INPUTSTICK_ERROR_ENCRYPTION_INVALID_KEY)
    case .keyRemoved: disconnectWith(.INPUTSTICK_ERROR_ENCRYPTION_KEY_REMOVED)
    }
  }

  /// Asks the delegate to show that there is newer firmware.
  open func presentFirmwareUpdateDialog(_ deviceData: InputStickDeviceData!) {
    asked?.inputStickManager(self, presentFirmwareUpdateDialog: deviceData)
  }

  /// Asks the delegate whether to wake up the USB host.
  open func presentUSBResumeDialog(_ deviceData: InputStickDeviceData!) {
    asked?.inputStickManager(self, presentUSBResumeDialog: deviceData)
  }

  /// Asks the delegate to show an error; nothing happens if the error is nil.
  open func showErrorMessage(_ error: (any Error)!) {
    if error != nil { presentErrorDialog(error) }
  }

  /// Processes a packet from the stick, and notifies observers.
  open func processPacket(_ rxPacket: InputStickRxPacket!) {
    guard let rxPacket else { return }
    firmwareManager?.processPacket(rxPacket)
    switch InputStickCmd(rxPacket.command) {
    case .CmdHIDStatusNotification:
      let state = InputStickHIDBuffersState(inputStickRxPacket: rxPacket)
      buffersManager.update(state)
      NotificationCenter.default.postDidUpdateInputStickHIDBuffersState(withModel: state)
      let leds = InputStickKeyboardLEDsState(inputStickRxPacket: rxPacket)
      if let leds, leds.rawValue != keyboardLEDs {
        keyboardLEDs = leds.rawValue
        keyboardHandler?.setKeyboardLEDsState(leds)
        NotificationCenter.default.postDidUpdateInputStickKeyboardLEDs(withValue: leds)
      }
    case .CmdGetFirmwareInfo:
      // The same version again changes nothing, so the buffers keep their reports.
      if firmwareVersion != rxPacket.firmwareVersion {
        firmwareVersion = rxPacket.firmwareVersion
        buffersManager.updateFirmwareVersion(firmwareVersion)
      }
    default: break
    }
    NotificationCenter.default.postDidReceiveInputStickPacket(rxPacket)
  }

  /// Disconnects the stick, or ends an attempt to connect, because of an error.
  ///
  /// Nothing happens if the state is disconnected.
  open func disconnectWith(_ errorCode: InputStickErrorCode) {
    guard connectionState != .disconnected else { return }
    connectionManager.disconnectFromPeripheral()
    didDisconnect(errorCode)
  }

  /// Records that the link has ended: sets ``lastError`` and the state, and shows the error if
  /// there is one.
  open func didDisconnect(_ errorCode: InputStickErrorCode) {
    lastError = InputStickError.getNSError(with: errorCode)
    lastErrorTime = lastError == nil ? 0 : UInt(environment.unixTime)
    setConnectionState(.disconnected)
    showErrorMessage(lastError)
  }

  /// Sets the state of the connection, and notifies observers; the same state again does nothing.
  ///
  /// The state initializing starts the firmware, disconnected and connecting reset the firmware
  /// manager, and ready allows automatic connections again. The states disconnected, connecting and
  /// initializing also reset ``usbState``.
  open func setConnectionState(_ connectionState: InputStickConnectionState) {
    guard self.connectionState != connectionState else { return }
    self.connectionState = connectionState
    switch connectionState {
    case .disconnected, .connecting:
      // A time limit of the link before must not end the new attempt.
      firmwareManager?.reset()
      usbState = .USBDisconnected
    case .initializing:
      usbState = .USBDisconnected
      firmwareManager?.startInitialization()
    case .ready: reEnableAutoConnect()
    case .usbNotReady, .usbSuspended: break
    }
    NotificationCenter.default.postDidUpdateInputStickConnectionState(
      NSNumber(value: connectionState.rawValue),
      errorCode: NSNumber(value: (lastError as NSError?)?.code ?? 0))
  }

  /// Sets the state of the stick on USB; observers are not notified.
  open func setUSBState(_ usbState: InputStickUSBState) { self.usbState = usbState }

  /// Sets ``encryptionEnabled``; false also ends the encryption of the link.
  ///
  /// True does not start the encryption, but lets the manager decrypt packets of the stick.
  open func setEncryptionStatus(_ enabled: Bool) {
    encryptionEnabled = enabled
    if !enabled { encryptionManager.link.reset() }
  }

  /// Stores the connected stick, unless it is stored already.
  ///
  /// - Returns: The stick's entry; nil without a link.
  open func addConectedDeviceToDatabase() -> InputStickDeviceData! {
    guard let identifier = connectionManager.connectedIdentifier else { return nil }
    _ = deviceDB.createDevice(
      withIdentifier: identifier, withPreferredName: connectionManager.connectedName)
    return deviceDB.getDataForDevice(withIdentifier: identifier)
  }

  /// Allows ``autoConnectLastInputStick()`` to connect again after an attempt.
  open func reEnableAutoConnect() {
    userDefaults.set(false, forKey: InputStickAutoConnectFailedKey)
  }
}
