// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// The part of a manager that finds sticks, and has the link to one stick.
///
/// A stick is a simulated InputStick, which a client drives by packets on a link. A scan finds the
/// sticks that hidsim simulates for the current user. The address of a link, such as `tcp:PORT`,
/// also connects to a stick that no scan finds.
///
/// The InputStickAPI library for iOS, which this library reproduces, also has properties with
/// CoreBluetooth types; they do not exist here.
open class InputStickConnectionManager: NSObject {
  /// The time limits of a connection attempt and of a scan, and the interval of the check for
  /// sticks that are gone; in milliseconds.
  private static let connectionTimeout = 5000
  private static let scanTimeout = 15_000
  private static let lastSeenInterval = 2000
  /// The time for which a stick stays in the list after it was last found, in seconds.
  private static let lastSeenLimit = 5

  /// The manager.
  open private(set) weak var inputStickManager: InputStickManager!
  /// The sticks that a scan has found, as ``InputStickPeripheralInfo``, in the order in which they
  /// were found.
  ///
  /// A running scan removes a stick that it has not found again for more than 5 s.
  open private(set) var foundPeripherals: NSMutableArray! = NSMutableArray()
  /// True always: links need no radio.
  open var bluetoothSupported: Bool { true }
  /// True always: links need no radio.
  open var bluetoothOn: Bool { true }
  /// True if a stick is connected and packets can be sent to it.
  open var connected: Bool { isReady }

  /// The identifier of the connected stick; nil without a link.
  private(set) var connectedIdentifier: String?
  private(set) var connectedName: String?
  /// The Bluetooth names of the sticks that the scans of this manager have found, by identifier.
  ///
  /// A connection attempt can begin with a new scan, which empties ``foundPeripherals``.
  private var foundNames: [String: String] = [:]
  private var transport: (any StickTransport)?
  /// The number of the current link; events of an older link are ignored.
  private var linkNumber = 0
  private var isReady = false
  private var pieceByteCount = Int.max
  private var parser: InputStickPacketParser?
  private var isScanning = false
  /// The identifier of the stick to connect to when a scan finds it; nil if none is wanted.
  private var wantedIdentifier: String?
  private var takesNearest = false
  private let connectionTimer = StickTimer<InputStickConnectionManager>()
  private let scanTimer = StickTimer<InputStickConnectionManager>()
  private let rangeTimer = StickTimer<InputStickConnectionManager>()
  private let lastSeenTimer = StickTimer<InputStickConnectionManager>()

  /// Makes a connection manager.
  public init!(inputStickManager: InputStickManager!) {
    super.init()
    self.inputStickManager = inputStickManager
    parser = InputStickPacketParser(inputStickManager: inputStickManager)
  }

  private var environment: (any StickEnvironment)? { inputStickManager?.environment }
  private var found: [InputStickPeripheralInfo] {
    foundPeripherals.compactMap { $0 as? InputStickPeripheralInfo }
  }

  // MARK: Connecting

  /// Starts to connect to a stick, and starts a scan unless one runs.
  ///
  /// An earlier attempt ends, and an open link is closed.
  ///
  /// If the running scan has found the stick, or if the identifier is an address, the attempt
  /// begins at once. Otherwise it begins when the scan finds the stick within 5 s. If there is no
  /// stick to connect to after this time, the manager gets the error "out of range".
  ///
  /// - Parameters:
  ///   - identifier: The stick's identifier; nil does nothing.
  ///   - allowNearestStored: True to connect to the stored stick with the strongest signal if the
  ///     stick with the identifier is not found in this time.
  open func connectToPeripheral(
    withIdentifier identifier: String!, orNearestStoredIfNotFound allowNearestStored: Bool
  ) {
    guard let identifier else { return }
    startBluetoothPeripheralScan(withTimeout: true)
    disconnectFromPeripheral()
    if hasDeviceBeenDiscovered(identifier) || environment?.canConnect(to: identifier) == true {
      return connect(to: identifier)
    }
    wantedIdentifier = identifier
    takesNearest = allowNearestStored
    inputStickManager?.setConnectionState(.connecting)
    startRangeTimer()
  }

  /// Starts a scan, and connects after 5 s to the stored stick with the strongest signal.
  ///
  /// An earlier attempt ends, and an open link is closed. If the scan has found no stored stick,
  /// the manager gets the error "out of range".
  open func connectToNearestStoredPeripheral() {
    startBluetoothPeripheralScan(withTimeout: true)
    disconnectFromPeripheral()
    takesNearest = true
    inputStickManager?.setConnectionState(.connecting)
    startRangeTimer()
  }

  private func connect(to identifier: String) {
    connectionTimer.start(Self.connectionTimeout, of: self, in: environment) { manager in
      manager.inputStickManager?.disconnectWith(.INPUTSTICK_ERROR_BT_CONNECTION_TIMEDOUT)
    }
    inputStickManager?.setConnectionState(.connecting)
    linkNumber += 1
    let number = linkNumber
    let confined = Confined(self)
    transport = environment?.connect(to: identifier) { event in
      confined.value?.take(event, of: number, identifier)
    }
  }

  private func take(_ event: StickLinkEvent, of number: Int, _ identifier: String) {
    guard number == linkNumber, transport != nil else { return }
    switch event {
    case .connected:
      stopBluetoothPeripheralScan()
      parser?.resetRxState()
      // A packet that is sent before the answer to 0x04 must not use the key of the link before.
      inputStickManager?.setEncryptionStatus(false)
      connectedIdentifier = identifier
      connectedName = foundNames[identifier] ?? InputStickBluetoothDefaultName
    case .ready(let pieceByteCount):
      self.pieceByteCount = max(1, pieceByteCount)
      isReady = true
      connectionTimer.stop()
      inputStickManager?.setConnectionState(.initializing)
    case .received(let bytes): take(bytes)
    case .closed:
      let wasConnected = connectedIdentifier != nil
      disconnectFromPeripheral()
      inputStickManager?.didDisconnect(
        wasConnected
          ? .INPUTSTICK_ERROR_BT_CONNECTION_LOST : .INPUTSTICK_ERROR_BT_CONNECTION_TIMEDOUT)
    }
  }

  /// Disconnects the stick, or ends an attempt to connect.
  ///
  /// The manager is not notified. A running scan continues.
  open func disconnectFromPeripheral() {
    connectionTimer.stop()
    stopWaiting()
    transport?.close()
    transport = nil
    isReady = false
    (connectedIdentifier, connectedName) = (nil, nil)
  }

  private func startRangeTimer() {
    rangeTimer.start(Self.connectionTimeout, of: self, in: environment) { $0.outOfRange() }
  }

  private func stopWaiting() {
    rangeTimer.stop()
    wantedIdentifier = nil
    takesNearest = false
  }

  private func outOfRange() {
    let nearest =
      takesNearest
      ? found.filter {
        inputStickManager?.deviceDB.hasDevice(withIdentifier: $0.identifier) == true
      }
      .reduce(nil) { best, next in
        best.map { $0.rssi >= next.rssi ? $0 : next } ?? next
      } : nil
    stopWaiting()
    if let identifier = nearest?.identifier {
      connect(to: identifier)
    } else {
      inputStickManager?.disconnectWith(.INPUTSTICK_ERROR_BT_OUT_OF_RANGE)
    }
  }

  // MARK: Scanning

  /// Starts a scan for sticks.
  ///
  /// If a scan runs already, only its time limit changes. A new scan begins with an empty list of
  /// sticks. A scan also ends when the manager has connected to a stick.
  ///
  /// - Parameter enableTimeout: True to end the scan after 15 s.
  open func startBluetoothPeripheralScan(withTimeout enableTimeout: Bool) {
    scanTimer.stop()
    if enableTimeout {
      scanTimer.start(Self.scanTimeout, of: self, in: environment) { manager in
        manager.stopBluetoothPeripheralScan()
        NotificationCenter.default.postDidTimeoutInputStickPeripheralScan()
      }
    }
    guard !isScanning else { return }
    isScanning = true
    foundPeripherals.removeAllObjects()
    tellList()
    let confined = Confined(self)
    environment?.startScan { confined.value?.take($0) }
    checkLastSeen()
    NotificationCenter.default.postDidStartInputStickPeripheralScan()
  }

  /// Ends the scan; the list of sticks stays.
  open func stopBluetoothPeripheralScan() {
    scanTimer.stop()
    lastSeenTimer.stop()
    environment?.stopScan()
    guard isScanning else { return }
    isScanning = false
    NotificationCenter.default.postDidFinishInputStickPeripheralScan()
  }

  /// Returns whether the list of found sticks contains a stick.
  open func hasDeviceBeenDiscovered(_ identifier: String!) -> Bool {
    identifier != nil && found.contains { $0.identifier == identifier }
  }

  private func take(_ advertisement: StickAdvertisement) {
    guard isScanning else { return }
    let known = found.first { $0.identifier == advertisement.identifier }
    let info = known ?? InputStickPeripheralInfo()
    let isNews = known == nil || info.name != advertisement.name
    info.identifier = advertisement.identifier
    info.name = advertisement.name
    foundNames[advertisement.identifier] = advertisement.name
    if known == nil { foundPeripherals.add(info) }
    if isNews { tellList() }
    info.lastSeenTime = UInt(environment?.unixTime ?? 0)
    info.rssi = advertisement.rssi
    guard rangeTimer.isRunning, wantedIdentifier == advertisement.identifier else { return }
    stopWaiting()
    connect(to: advertisement.identifier)
  }

  private func checkLastSeen() {
    lastSeenTimer.start(Self.lastSeenInterval, of: self, in: environment) { manager in
      let limit = (manager.environment?.unixTime ?? 0) - Self.lastSeenLimit
      let old = manager.found.filter { Int($0.lastSeenTime) < limit }
      if !old.isEmpty {
        for info in old { manager.foundPeripherals.remove(info) }
        manager.tellList()
      }
      manager.checkLastSeen()
    }
  }

  private func tellList() {
    NotificationCenter.default.postDidUpdateInputStickPeripheralsList(foundPeripherals)
  }

  // MARK: Packets

  /// Sends a packet; nothing happens without a link, or if the packet cannot be encrypted.
  open func send(_ txPacket: InputStickTxPacket!) {
    guard let txPacket, isReady, let manager = inputStickManager,
      let frame = manager.encryptionManager.link.frame(
        of: txPacket.packet, wantsAnswer: txPacket.requiresResponse)
    else { return }
    let bytes = frame.bytes
    for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
      transport?.write(Array(bytes[start..<min(bytes.count - start, pieceByteCount) + start]))
    }
  }

  private func take(_ bytes: [UInt8]) {
    guard let parser else { return }
    let number = linkNumber
    for byte in bytes {
      // A packet can end the link.
      guard isReady, number == linkNumber else { return }
      switch parser.parseResponseByte(byte) {
      case .inProgress, .started: break
      case .done: inputStickManager?.processPacket(parser.parsedPacket)
      case .error: inputStickManager?.disconnectWith(parser.errorCode)
      }
    }
  }
}
