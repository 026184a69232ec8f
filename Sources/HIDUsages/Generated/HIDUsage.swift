// Generated from usages.tsv by scripts/generate-usages. Do not edit.
// SPDX-License-Identifier: Apache-2.0

/// What a control or collection is for: a usage page, and an ID on that page.
///
/// A payload of `nil` is the page as such. A value made from numbers has a named case wherever there is
/// one; `generic` is for the rest. Two usages are equal when their numbers are, whatever the case.
///
/// Source: HID Usage Tables 1.4; the names are CoreHID's.
public enum HIDUsage: Sendable {
  /// Page 0x0001.
  case genericDesktop(GenericDesktopUsage?)
  /// Page 0x0002.
  case simulationControls(SimulationControlsUsage?)
  /// Page 0x0003.
  case vrControls(VRControlsUsage?)
  /// Page 0x0004.
  case sportControls(SportControlsUsage?)
  /// Page 0x0005.
  case gameControls(GameControlsUsage?)
  /// Page 0x0006.
  case genericDeviceControls(GenericDeviceControlsUsage?)
  /// Page 0x0007.
  case keyboardOrKeypad(KeyboardOrKeypadUsage?)
  /// Page 0x0008.
  case led(LEDUsage?)
  /// Page 0x0009.
  case button(UInt16?)
  /// Page 0x000a.
  case ordinal(UInt16?)
  /// Page 0x000b.
  case telephonyDevice(TelephonyDeviceUsage?)
  /// Page 0x000c.
  case consumer(ConsumerUsage?)
  /// Page 0x000d.
  case digitizers(DigitizersUsage?)
  /// Page 0x000e.
  case haptics(HapticsUsage?)
  /// Page 0x000f.
  case physicalInputDevice(PhysicalInputDeviceUsage?)
  /// Page 0x0011.
  case soc(SOCUsage?)
  /// Page 0x0012.
  case eyeAndHeadTrackers(EyeAndHeadTrackersUsage?)
  /// Page 0x0014.
  case auxiliaryDisplay(AuxiliaryDisplayUsage?)
  /// Page 0x0020.
  case sensors(SensorsUsage?)
  /// Page 0x0040.
  case medicalInstrument(MedicalInstrumentUsage?)
  /// Page 0x0041.
  case brailleDisplay(BrailleDisplayUsage?)
  /// Page 0x0059.
  case lightingAndIllumination(LightingAndIlluminationUsage?)
  /// Page 0x0080.
  case monitor(MonitorUsage?)
  /// Page 0x0081.
  case monitorEnumerated(UInt16?)
  /// Page 0x0082.
  case vesaVirtualControls(VESAVirtualControlsUsage?)
  /// Page 0x0084.
  case power(PowerUsage?)
  /// Page 0x0085.
  case batterySystem(BatterySystemUsage?)
  /// Page 0x008c.
  case barcodeScanner(BarcodeScannerUsage?)
  /// Page 0x008d.
  case scales(ScalesUsage?)
  /// Page 0x008e.
  case magneticStripeReader(MagneticStripeReaderUsage?)
  /// Page 0x0090.
  case cameraControl(CameraControlUsage?)
  /// Page 0x0091.
  case arcade(ArcadeUsage?)
  /// Page 0xf1d0.
  case fidoAlliance(FIDOAllianceUsage?)
  /// Any other page and ID: vendors' pages, and IDs that the tables do not have.
  case generic(UInt16, UInt16?)
}

extension HIDUsage {
  /// Makes the usage with these numbers, as a named case wherever there is one.
  ///
  /// - Parameter page: The usage page.
  /// - Parameter usage: The ID on that page; `nil` for the page as such.
  public init(page: UInt16, usage: UInt16?) {
    guard let usage else {
      self = Self.wholePage(page)
      return
    }
    let named: HIDUsage? =
      switch page {
      case 0x0001: GenericDesktopUsage(rawValue: usage).map { .genericDesktop($0) }
      case 0x0002: SimulationControlsUsage(rawValue: usage).map { .simulationControls($0) }
      case 0x0003: VRControlsUsage(rawValue: usage).map { .vrControls($0) }
      case 0x0004: SportControlsUsage(rawValue: usage).map { .sportControls($0) }
      case 0x0005: GameControlsUsage(rawValue: usage).map { .gameControls($0) }
      case 0x0006: GenericDeviceControlsUsage(rawValue: usage).map { .genericDeviceControls($0) }
      case 0x0007: KeyboardOrKeypadUsage(rawValue: usage).map { .keyboardOrKeypad($0) }
      case 0x0008: LEDUsage(rawValue: usage).map { .led($0) }
      case 0x0009: .button(usage)
      case 0x000a: .ordinal(usage)
      case 0x000b: TelephonyDeviceUsage(rawValue: usage).map { .telephonyDevice($0) }
      case 0x000c: ConsumerUsage(rawValue: usage).map { .consumer($0) }
      case 0x000d: DigitizersUsage(rawValue: usage).map { .digitizers($0) }
      case 0x000e: HapticsUsage(rawValue: usage).map { .haptics($0) }
      case 0x000f: PhysicalInputDeviceUsage(rawValue: usage).map { .physicalInputDevice($0) }
      case 0x0011: SOCUsage(rawValue: usage).map { .soc($0) }
      case 0x0012: EyeAndHeadTrackersUsage(rawValue: usage).map { .eyeAndHeadTrackers($0) }
      case 0x0014: AuxiliaryDisplayUsage(rawValue: usage).map { .auxiliaryDisplay($0) }
      case 0x0020: SensorsUsage(rawValue: usage).map { .sensors($0) }
      case 0x0040: MedicalInstrumentUsage(rawValue: usage).map { .medicalInstrument($0) }
      case 0x0041: BrailleDisplayUsage(rawValue: usage).map { .brailleDisplay($0) }
      case 0x0059:
        LightingAndIlluminationUsage(rawValue: usage).map { .lightingAndIllumination($0) }
      case 0x0080: MonitorUsage(rawValue: usage).map { .monitor($0) }
      case 0x0081: .monitorEnumerated(usage)
      case 0x0082: VESAVirtualControlsUsage(rawValue: usage).map { .vesaVirtualControls($0) }
      case 0x0084: PowerUsage(rawValue: usage).map { .power($0) }
      case 0x0085: BatterySystemUsage(rawValue: usage).map { .batterySystem($0) }
      case 0x008c: BarcodeScannerUsage(rawValue: usage).map { .barcodeScanner($0) }
      case 0x008d: ScalesUsage(rawValue: usage).map { .scales($0) }
      case 0x008e: MagneticStripeReaderUsage(rawValue: usage).map { .magneticStripeReader($0) }
      case 0x0090: CameraControlUsage(rawValue: usage).map { .cameraControl($0) }
      case 0x0091: ArcadeUsage(rawValue: usage).map { .arcade($0) }
      case 0xf1d0: FIDOAllianceUsage(rawValue: usage).map { .fidoAlliance($0) }
      default: nil
      }
    self = named ?? .generic(page, usage)
  }

  private static func wholePage(_ page: UInt16) -> HIDUsage {
    switch page {
    case 0x0001: .genericDesktop(nil)
    case 0x0002: .simulationControls(nil)
    case 0x0003: .vrControls(nil)
    case 0x0004: .sportControls(nil)
    case 0x0005: .gameControls(nil)
    case 0x0006: .genericDeviceControls(nil)
    case 0x0007: .keyboardOrKeypad(nil)
    case 0x0008: .led(nil)
    case 0x0009: .button(nil)
    case 0x000a: .ordinal(nil)
    case 0x000b: .telephonyDevice(nil)
    case 0x000c: .consumer(nil)
    case 0x000d: .digitizers(nil)
    case 0x000e: .haptics(nil)
    case 0x000f: .physicalInputDevice(nil)
    case 0x0011: .soc(nil)
    case 0x0012: .eyeAndHeadTrackers(nil)
    case 0x0014: .auxiliaryDisplay(nil)
    case 0x0020: .sensors(nil)
    case 0x0040: .medicalInstrument(nil)
    case 0x0041: .brailleDisplay(nil)
    case 0x0059: .lightingAndIllumination(nil)
    case 0x0080: .monitor(nil)
    case 0x0081: .monitorEnumerated(nil)
    case 0x0082: .vesaVirtualControls(nil)
    case 0x0084: .power(nil)
    case 0x0085: .batterySystem(nil)
    case 0x008c: .barcodeScanner(nil)
    case 0x008d: .scales(nil)
    case 0x008e: .magneticStripeReader(nil)
    case 0x0090: .cameraControl(nil)
    case 0x0091: .arcade(nil)
    case 0xf1d0: .fidoAlliance(nil)
    default: .generic(page, nil)
    }
  }

  /// The number of the usage page.
  public var page: UInt16 {
    switch self {
    case .genericDesktop: 0x0001
    case .simulationControls: 0x0002
    case .vrControls: 0x0003
    case .sportControls: 0x0004
    case .gameControls: 0x0005
    case .genericDeviceControls: 0x0006
    case .keyboardOrKeypad: 0x0007
    case .led: 0x0008
    case .button: 0x0009
    case .ordinal: 0x000a
    case .telephonyDevice: 0x000b
    case .consumer: 0x000c
    case .digitizers: 0x000d
    case .haptics: 0x000e
    case .physicalInputDevice: 0x000f
    case .soc: 0x0011
    case .eyeAndHeadTrackers: 0x0012
    case .auxiliaryDisplay: 0x0014
    case .sensors: 0x0020
    case .medicalInstrument: 0x0040
    case .brailleDisplay: 0x0041
    case .lightingAndIllumination: 0x0059
    case .monitor: 0x0080
    case .monitorEnumerated: 0x0081
    case .vesaVirtualControls: 0x0082
    case .power: 0x0084
    case .batterySystem: 0x0085
    case .barcodeScanner: 0x008c
    case .scales: 0x008d
    case .magneticStripeReader: 0x008e
    case .cameraControl: 0x0090
    case .arcade: 0x0091
    case .fidoAlliance: 0xf1d0
    case .generic(let page, _): page
    }
  }

  /// The ID on the page; `nil` for the page as such.
  public var usage: UInt16? {
    switch self {
    case .genericDesktop(let usage): usage?.rawValue
    case .simulationControls(let usage): usage?.rawValue
    case .vrControls(let usage): usage?.rawValue
    case .sportControls(let usage): usage?.rawValue
    case .gameControls(let usage): usage?.rawValue
    case .genericDeviceControls(let usage): usage?.rawValue
    case .keyboardOrKeypad(let usage): usage?.rawValue
    case .led(let usage): usage?.rawValue
    case .button(let usage): usage
    case .ordinal(let usage): usage
    case .telephonyDevice(let usage): usage?.rawValue
    case .consumer(let usage): usage?.rawValue
    case .digitizers(let usage): usage?.rawValue
    case .haptics(let usage): usage?.rawValue
    case .physicalInputDevice(let usage): usage?.rawValue
    case .soc(let usage): usage?.rawValue
    case .eyeAndHeadTrackers(let usage): usage?.rawValue
    case .auxiliaryDisplay(let usage): usage?.rawValue
    case .sensors(let usage): usage?.rawValue
    case .medicalInstrument(let usage): usage?.rawValue
    case .brailleDisplay(let usage): usage?.rawValue
    case .lightingAndIllumination(let usage): usage?.rawValue
    case .monitor(let usage): usage?.rawValue
    case .monitorEnumerated(let usage): usage
    case .vesaVirtualControls(let usage): usage?.rawValue
    case .power(let usage): usage?.rawValue
    case .batterySystem(let usage): usage?.rawValue
    case .barcodeScanner(let usage): usage?.rawValue
    case .scales(let usage): usage?.rawValue
    case .magneticStripeReader(let usage): usage?.rawValue
    case .cameraControl(let usage): usage?.rawValue
    case .arcade(let usage): usage?.rawValue
    case .fidoAlliance(let usage): usage?.rawValue
    case .generic(_, let usage): usage
    }
  }
}
