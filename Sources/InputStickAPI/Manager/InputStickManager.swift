// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// Connects to a stick, and has what sends reports through it.
///
/// A manager and its parts are used on the main queue, where its delegate and observers are called
/// too.
open class InputStickManager: NSObject {
  /// Asks and informs the user.
  open weak var delegate: (any InputStickManagerDelegate)!
  /// The same; it is asked instead of ``delegate`` if it is not nil.
  open weak var inputStickMenuDelegate: (any InputStickManagerDelegate)!

  /// Finds sticks, and has the link.
  open private(set) var connectionManager: InputStickConnectionManager!
  /// The encryption of the link.
  open private(set) var encryptionManager: InputStickEncryptionManager!
  /// The sticks that were used.
  open private(set) var deviceDB: InputStickDeviceDB!
  /// Starts the firmware of a stick.
  ///
  /// One that is set while the state is ready starts at once.
  open var firmwareManager: (any InputStickFirmwareManagerProtocol)! {
    didSet { if connectionState == .ready { firmwareManager?.startInitialization() } }
  }
  /// Where the sticks and the preferences are stored.
  open private(set) var userDefaults: UserDefaults!

  /// The buffers of reports.
  open var buffersManager: InputStickHIDBuffersManager!
  /// Sends keys and text.
  open var keyboardHandler: InputStickKeyboardHandler!
  /// Sends buttons and movements of a mouse.
  open var mouseHandler: InputStickMouseHandler!
  /// Sends media and power keys.
  open var consumerHandler: InputStickConsumerHandler!
  /// Sends touches.
  open var touchScreenHandler: InputStickTouchScreenHandler!
  /// Sends the state of a gamepad.
  open var gamepadHandler: InputStickGamepadHandler!

  /// How far the connection has come.
  open private(set) var connectionState = InputStickConnectionState.disconnected
  /// The state of the stick on USB.
  open private(set) var usbState = InputStickUSBState.USBDisconnected
  /// Whether packets are encrypted.
  open private(set) var encryptionEnabled = false
  /// The version of the firmware: 100 is 1.00; 0 until the stick has said it.
  open private(set) var firmwareVersion: UInt = 0
  /// Why the last connection failed or ended; nil without an error.
  open private(set) var lastError: (any Error)!
  /// When that was, in seconds since 1970.
  open private(set) var lastErrorTime: UInt = 0
  /// How the last connection was begun.
  open private(set) var lastConnectionAttemptMode = InputStickConnectionMode.none
  /// The identifier of the last connection; nil for the nearest stick.
  open private(set) var lastConnectionAttemptInputStickIdentifier: String!

  let environment: any StickEnvironment
  private var keyboardLEDs: UInt8 = 0

  /// Makes a manager that stores in the standard defaults.
  public convenience override init() { self.init(suiteName: nil) }

  /// Makes a manager.
  ///
  /// - Parameter suiteName: The suite of defaults to store in; nil for the standard ones.
  public convenience init!(suiteName: String!) {
    precondition(
      LocalStickEnvironment.isOnMainQueue,
      "make an InputStickManager on the main queue, for example in a @MainActor function: its "
        + "callbacks come there")
    self.init(suiteName: suiteName, environment: LocalStickEnvironment())
  }

  /// Makes a manager that stores in defaults which are given.
  @MainActor package convenience init(storingIn defaults: UserDefaults) {
    self.init(storingIn: defaults, environment: LocalStickEnvironment())
  }

  /// Makes a manager that uses another clock, and other sticks.
  package convenience init(suiteName: String?, environment: any StickEnvironment) {
    self.init(
      storingIn: UserDefaults(suiteName: suiteName) ?? .standard, environment: environment)
  }

  /// Makes a manager that stores in defaults which are given, and uses another clock and other
  /// sticks.
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

  /// Whether links can be made: always, since they need no radio.
  open var bluetoothOn: Bool { connectionManager.bluetoothOn }
  /// Whether links can be made: always.
  open var bluetoothSupported: Bool { connectionManager.bluetoothSupported }
  /// Whether there is no connection.
  open var inputStickDicsonnected: Bool { connectionState == .disconnected }
  /// Whether reports can be sent.
  open var inputStickReady: Bool { connectionState == .ready }
  /// The entry of the stick that is connected; nil without one, and before its first answer.
  open var connectedInputStickDeviceData: InputStickDeviceData! {
    connectionManager.connected
      ? deviceDB.getDataForDevice(withIdentifier: connectionManager.connectedIdentifier) : nil
  }
  /// The identifier of the stick that is connected; nil without one.
  open var connectedInputStickIdentifier: String! { connectionManager.connectedIdentifier }
  /// The Bluetooth name of the stick that is connected; nil without one.
  open var connectedInputStickBluetoothName: String! {
    connectedInputStickIdentifier == nil ? nil : connectionManager.connectedName
  }
  /// Whether a stick is stored.
  open func hasStoredDeviceIdentifier() -> Bool { deviceDB.numberOfStoredDevices > 0 }

  // MARK: Connecting

  /// Connects to a stick.
  ///
  /// - Parameter identifier: The stick's identifier as a scan finds it, or where its clients
  ///   connect: `unix:PATH`, `tcp:PORT` or the path of a terminal. Nil does nothing.
  open func connectToInputStick(withIdentifier identifier: String!) {
    begin(.customDevice, identifier)
    connectionManager.connectToPeripheral(
      withIdentifier: identifier, orNearestStoredIfNotFound: false)
  }

  /// Connects to the stick that was used last.
  ///
  /// Without one the delegate gets an error, and nothing changes.
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

  /// Connects to the stick that was used last, without the user.
  ///
  /// After a failure it does nothing until a connection has come to
  /// ``InputStickConnectionState/ready``.
  ///
  /// - Returns: Whether it tries to connect.
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

  /// Looks for sticks for 5 s, and connects to the one with the strongest signal that is stored.
  ///
  /// Without a stored one the delegate gets an error, and nothing changes.
  open func connectToNearsetStoredInputStick() {
    guard hasStoredDeviceIdentifier() else {
      return showErrorMessage(
        InputStickError.getNSError(with: .INPUTSTICK_ERROR_APP_NO_DEVICES_STORED))
    }
    begin(.nearestDevice, nil)
    connectionManager.connectToNearestStoredPeripheral()
  }

  /// Connects again as the last time.
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
    encryptionEnabled = false
    firmwareVersion = 0
  }

  /// Disconnects, or ends an attempt to connect.
  open func disconnectFromInputStick() {
    guard connectionState != .disconnected else { return }
    connectionManager.disconnectFromPeripheral()
    didDisconnect(.INPUTSTICK_ERROR_NONE)
  }

  /// Gives the stick that is connected the password of its user.
  ///
  /// - Parameters:
  ///   - password: The password; nil removes the stored one.
  ///   - savePlainText: Whether the text is stored, once the stick has confirmed it.
  open func updateDevicePassword(_ password: String!, savePlainText: Bool) {
    guard connectionManager.connected else { return }
    firmwareManager?.updateDevicePassword(password, savePlainText: savePlainText)
  }

  // MARK: Scanning

  /// Begins to look for sticks.
  ///
  /// - Parameter enableTimeout: Whether the scan ends after 15 s.
  open func startBluetoothPeripheralScan(withTimeout enableTimeout: Bool) {
    connectionManager.startBluetoothPeripheralScan(withTimeout: enableTimeout)
  }

  /// Ends looking for sticks.
  open func stopBluetoothPeripheralScan() { connectionManager.stopBluetoothPeripheralScan() }

  // MARK: Packets

  /// Sends a packet; without a link nothing happens.
  open func send(_ txPacket: InputStickTxPacket!) { connectionManager.send(txPacket) }

  /// Asks a stick whose host has suspended it to wake the host up; else nothing happens.
  open func sendUSBResumeRequest() {
    guard connectionState == .usbSuspended else { return }
    send(InputStickTxPacket(cmd: .CmdUSBResume))
  }

  // MARK: Pictures of a program

  /// Has the state be ready without a stick, for pictures of a program; reports go nowhere.
  open func setDummyConnectedState() { setConnectionState(.ready) }

  /// Stores a stick that does not exist, for pictures of a program.
  open func addDummyDevice() {
    _ = deviceDB.createDevice(
      withIdentifier: "12345678-ABCD-1234-ABCD-1234567890AB", withPreferredName: "MyInputStick")
  }

  // MARK: For the parts of the library

  private var asked: (any InputStickManagerDelegate)? { inputStickMenuDelegate ?? delegate }

  /// Shows an error to the user.
  open func presentErrorDialog(_ error: (any Error)!) {
    asked?.inputStickManager(self, presentErrorDialog: error)
  }

  /// Asks the user for a key; disconnects if the user is not asked.
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

  /// Says that there is newer firmware.
  open func presentFirmwareUpdateDialog(_ deviceData: InputStickDeviceData!) {
    asked?.inputStickManager(self, presentFirmwareUpdateDialog: deviceData)
  }

  /// Asks whether to wake up the USB host.
  open func presentUSBResumeDialog(_ deviceData: InputStickDeviceData!) {
    asked?.inputStickManager(self, presentUSBResumeDialog: deviceData)
  }

  /// Shows an error, unless it is nil.
  open func showErrorMessage(_ error: (any Error)!) {
    if error != nil { presentErrorDialog(error) }
  }

  /// Takes a packet of the stick.
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
      // The same answer once more changes nothing: the buffers keep what waits in them.
      if firmwareVersion != rxPacket.firmwareVersion {
        firmwareVersion = rxPacket.firmwareVersion
        buffersManager.updateFirmwareVersion(firmwareVersion)
      }
    default: break
    }
    NotificationCenter.default.postDidReceiveInputStickPacket(rxPacket)
  }

  /// Disconnects because of an error.
  open func disconnectWith(_ errorCode: InputStickErrorCode) {
    guard connectionState != .disconnected else { return }
    connectionManager.disconnectFromPeripheral()
    didDisconnect(errorCode)
  }

  /// Takes that the link has gone.
  open func didDisconnect(_ errorCode: InputStickErrorCode) {
    lastError = InputStickError.getNSError(with: errorCode)
    lastErrorTime = lastError == nil ? 0 : UInt(environment.unixTime)
    setConnectionState(.disconnected)
    showErrorMessage(lastError)
  }

  /// Sets the state, and tells observers if it has changed.
  open func setConnectionState(_ connectionState: InputStickConnectionState) {
    guard self.connectionState != connectionState else { return }
    self.connectionState = connectionState
    switch connectionState {
    case .disconnected:
      firmwareManager?.reset()
      usbState = .USBDisconnected
    case .connecting: usbState = .USBDisconnected
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

  /// Sets the state of the stick on USB.
  open func setUSBState(_ usbState: InputStickUSBState) { self.usbState = usbState }

  /// Sets whether packets are encrypted.
  open func setEncryptionStatus(_ enabled: Bool) {
    encryptionEnabled = enabled
    if !enabled { encryptionManager.link.reset() }
  }

  /// Stores the stick that is connected, unless it is stored.
  ///
  /// - Returns: Its entry; nil without a link.
  open func addConectedDeviceToDatabase() -> InputStickDeviceData! {
    guard let identifier = connectionManager.connectedIdentifier else { return nil }
    _ = deviceDB.createDevice(
      withIdentifier: identifier, withPreferredName: connectionManager.connectedName)
    return deviceDB.getDataForDevice(withIdentifier: identifier)
  }

  /// Lets ``autoConnectLastInputStick()`` connect again.
  open func reEnableAutoConnect() {
    userDefaults.set(false, forKey: InputStickAutoConnectFailedKey)
  }
}
