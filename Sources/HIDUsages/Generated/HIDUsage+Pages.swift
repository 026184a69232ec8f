// Generated from usages.tsv by scripts/generate-usages. Do not edit.
// SPDX-License-Identifier: Apache-2.0

extension HIDUsage {
  /// Page 0x0001, `genericDesktop`.
  public enum GenericDesktopUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0001
    /// Pointer.
    case pointer = 0x0001
    /// Mouse.
    case mouse = 0x0002
    /// Joystick.
    case joystick = 0x0004
    /// Gamepad.
    case gamepad = 0x0005
    /// Keyboard.
    case keyboard = 0x0006
    /// Keypad.
    case keypad = 0x0007
    /// Multi-axis Controller.
    case multiAxisController = 0x0008
    /// Tablet PC System Controls.
    case tabletPCSystemControls = 0x0009
    /// Water Cooling Device.
    case waterCoolingDevice = 0x000a
    /// Computer Chassis Device.
    case computerChassisDevice = 0x000b
    /// Wireless Radio Controls.
    case wirelessRadioControls = 0x000c
    /// Portable Device Control.
    case portableDeviceControl = 0x000d
    /// System Multi-Axis Controller.
    case systemMultiAxisController = 0x000e
    /// Spatial Controller.
    case spatialController = 0x000f
    /// Assistive Control.
    case assistiveControl = 0x0010
    /// Device Dock.
    case deviceDock = 0x0011
    /// Dockable Device.
    case dockableDevice = 0x0012
    /// Call State Management Control.
    case callStateManagementControl = 0x0013
    /// X.
    case x = 0x0030
    /// Y.
    case y = 0x0031
    /// Z.
    case z = 0x0032
    /// Rx.
    case rx = 0x0033
    /// Ry.
    case ry = 0x0034
    /// Rz.
    case rz = 0x0035
    /// Slider.
    case slider = 0x0036
    /// Dial.
    case dial = 0x0037
    /// Wheel.
    case wheel = 0x0038
    /// Hat Switch.
    case hatSwitch = 0x0039
    /// Counted Buffer.
    case countedBuffer = 0x003a
    /// Byte Count.
    case byteCount = 0x003b
    /// Motion Wakeup.
    case motionWakeup = 0x003c
    /// Start.
    case start = 0x003d
    /// Select.
    case select = 0x003e
    /// Vx.
    case vx = 0x0040
    /// Vy.
    case vy = 0x0041
    /// Vz.
    case vz = 0x0042
    /// Vbrx.
    case vbrx = 0x0043
    /// Vbry.
    case vbry = 0x0044
    /// Vbrz.
    case vbrz = 0x0045
    /// Vno.
    case vno = 0x0046
    /// Feature Notification.
    case featureNotification = 0x0047
    /// Resolution Multiplier.
    case resolutionMultiplier = 0x0048
    /// Qx.
    case qx = 0x0049
    /// Qy.
    case qy = 0x004a
    /// Qz.
    case qz = 0x004b
    /// Qw.
    case qw = 0x004c
    /// System Control.
    case systemControl = 0x0080
    /// System Power Down.
    case systemPowerDown = 0x0081
    /// System Sleep.
    case systemSleep = 0x0082
    /// System Wake Up.
    case systemWakeUp = 0x0083
    /// System Context Menu.
    case systemContextMenu = 0x0084
    /// System Main Menu.
    case systemMainMenu = 0x0085
    /// System App Menu.
    case systemAppMenu = 0x0086
    /// System Menu Help.
    case systemMenuHelp = 0x0087
    /// System Menu Exit.
    case systemMenuExit = 0x0088
    /// System Menu Select.
    case systemMenuSelect = 0x0089
    /// System Menu Right.
    case systemMenuRight = 0x008a
    /// System Menu Left.
    case systemMenuLeft = 0x008b
    /// System Menu Up.
    case systemMenuUp = 0x008c
    /// System Menu Down.
    case systemMenuDown = 0x008d
    /// System Cold Restart.
    case systemColdRestart = 0x008e
    /// System Warm Restart.
    case systemWarmRestart = 0x008f
    /// D-pad Up.
    case dPadUp = 0x0090
    /// D-pad Down.
    case dPadDown = 0x0091
    /// D-pad Right.
    case dPadRight = 0x0092
    /// D-pad Left.
    case dPadLeft = 0x0093
    /// Index Trigger.
    case indexTrigger = 0x0094
    /// Palm Trigger.
    case palmTrigger = 0x0095
    /// Thumbstick.
    case thumbstick = 0x0096
    /// System Function Shift.
    case systemFunctionShift = 0x0097
    /// System Function Shift Lock.
    case systemFunctionShiftLock = 0x0098
    /// System Function Shift Lock Indicator.
    case systemFunctionShiftLockIndicator = 0x0099
    /// System Dismiss Notification.
    case systemDismissNotification = 0x009a
    /// System Do Not Disturb.
    case systemDoNotDisturb = 0x009b
    /// System Dock.
    case systemDock = 0x00a0
    /// System Undock.
    case systemUndock = 0x00a1
    /// System Setup.
    case systemSetup = 0x00a2
    /// System Break.
    case systemBreak = 0x00a3
    /// System Debugger Break.
    case systemDebuggerBreak = 0x00a4
    /// Application Break.
    case applicationBreak = 0x00a5
    /// Application Debugger Break.
    case applicationDebuggerBreak = 0x00a6
    /// System Speaker Mute.
    case systemSpeakerMute = 0x00a7
    /// System Hibernate.
    case systemHibernate = 0x00a8
    /// System Microphone Mute.
    case systemMicrophoneMute = 0x00a9
    /// System Display Invert.
    case systemDisplayInvert = 0x00b0
    /// System Display Internal.
    case systemDisplayInternal = 0x00b1
    /// System Display External.
    case systemDisplayExternal = 0x00b2
    /// System Display Both.
    case systemDisplayBoth = 0x00b3
    /// System Display Dual.
    case systemDisplayDual = 0x00b4
    /// System Display Toggle Int/Ext Mode.
    case systemDisplayToggleIntOrExtMode = 0x00b5
    /// System Display Swap Primary/Secondary.
    case systemDisplaySwapPrimaryOrSecondary = 0x00b6
    /// System Display Toggle LCD Autoscale.
    case systemDisplayToggleLCDAutoscale = 0x00b7
    /// Sensor Zone.
    case sensorZone = 0x00c0
    /// RPM.
    case rpm = 0x00c1
    /// Coolant Level.
    case coolantLevel = 0x00c2
    /// Coolant Critical Level.
    case coolantCriticalLevel = 0x00c3
    /// Coolant Pump.
    case coolantPump = 0x00c4
    /// Chassis Enclosure.
    case chassisEnclosure = 0x00c5
    /// Wireless Radio Button.
    case wirelessRadioButton = 0x00c6
    /// Wireless Radio LED.
    case wirelessRadioLED = 0x00c7
    /// Wireless Radio Slider Switch.
    case wirelessRadioSliderSwitch = 0x00c8
    /// System Display Rotation Lock Button.
    case systemDisplayRotationLockButton = 0x00c9
    /// System Display Rotation Lock Slider Switch.
    case systemDisplayRotationLockSliderSwitch = 0x00ca
    /// Control Enable.
    case controlEnable = 0x00cb
    /// Dockable Device Unique ID.
    case dockableDeviceUniqueID = 0x00d0
    /// Dockable Device Vendor ID.
    case dockableDeviceVendorID = 0x00d1
    /// Dockable Device Primary Usage Page.
    case dockableDevicePrimaryUsagePage = 0x00d2
    /// Dockable Device Primary Usage ID.
    case dockableDevicePrimaryUsageID = 0x00d3
    /// Dockable Device Docking State.
    case dockableDeviceDockingState = 0x00d4
    /// Dockable Device Display Occlusion.
    case dockableDeviceDisplayOcclusion = 0x00d5
    /// Dockable Device Object Type.
    case dockableDeviceObjectType = 0x00d6
    /// Call Active LED.
    case callActiveLED = 0x00e0
    /// Call Mute Toggle.
    case callMuteToggle = 0x00e1
    /// Call Mute LED.
    case callMuteLED = 0x00e2
  }

  /// Page 0x0002, `simulationControls`.
  public enum SimulationControlsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0002
    /// Flight Simulation Device.
    case flightSimulationDevice = 0x0001
    /// Automobile Simulation Device.
    case automobileSimulationDevice = 0x0002
    /// Tank Simulation Device.
    case tankSimulationDevice = 0x0003
    /// Spaceship Simulation Device.
    case spaceshipSimulationDevice = 0x0004
    /// Submarine Simulation Device.
    case submarineSimulationDevice = 0x0005
    /// Sailing Simulation Device.
    case sailingSimulationDevice = 0x0006
    /// Motorcycle Simulation Device.
    case motorcycleSimulationDevice = 0x0007
    /// Sports Simulation Device.
    case sportsSimulationDevice = 0x0008
    /// Airplane Simulation Device.
    case airplaneSimulationDevice = 0x0009
    /// Helicopter Simulation Device.
    case helicopterSimulationDevice = 0x000a
    /// Magic Carpet Simulation Device.
    case magicCarpetSimulationDevice = 0x000b
    /// Bicycle Simulation Device.
    case bicycleSimulationDevice = 0x000c
    /// Flight Control Stick.
    case flightControlStick = 0x0020
    /// Flight Stick.
    case flightStick = 0x0021
    /// Cyclic Control.
    case cyclicControl = 0x0022
    /// Cyclic Trim.
    case cyclicTrim = 0x0023
    /// Flight Yoke.
    case flightYoke = 0x0024
    /// Track Control.
    case trackControl = 0x0025
    /// Aileron.
    case aileron = 0x00b0
    /// Aileron Trim.
    case aileronTrim = 0x00b1
    /// Anti-Torque Control.
    case antiTorqueControl = 0x00b2
    /// Autopilot Enable.
    case autopilotEnable = 0x00b3
    /// Chaff Release.
    case chaffRelease = 0x00b4
    /// Collective Control.
    case collectiveControl = 0x00b5
    /// Dive Brake.
    case diveBrake = 0x00b6
    /// Electronic Countermeasures.
    case electronicCountermeasures = 0x00b7
    /// Elevator.
    case elevator = 0x00b8
    /// Elevator Trim.
    case elevatorTrim = 0x00b9
    /// Rudder.
    case rudder = 0x00ba
    /// Throttle.
    case throttle = 0x00bb
    /// Flight Communications.
    case flightCommunications = 0x00bc
    /// Flare Release.
    case flareRelease = 0x00bd
    /// Landing Gear.
    case landingGear = 0x00be
    /// Toe Brake.
    case toeBrake = 0x00bf
    /// Trigger.
    case trigger = 0x00c0
    /// Weapons Arm.
    case weaponsArm = 0x00c1
    /// Weapons Select.
    case weaponsSelect = 0x00c2
    /// Wing Flaps.
    case wingFlaps = 0x00c3
    /// Accelerator.
    case accelerator = 0x00c4
    /// Brake.
    case brake = 0x00c5
    /// Clutch.
    case clutch = 0x00c6
    /// Shifter.
    case shifter = 0x00c7
    /// Steering.
    case steering = 0x00c8
    /// Turret Direction.
    case turretDirection = 0x00c9
    /// Barrel Elevation.
    case barrelElevation = 0x00ca
    /// Dive Plane.
    case divePlane = 0x00cb
    /// Ballast.
    case ballast = 0x00cc
    /// Bicycle Crank.
    case bicycleCrank = 0x00cd
    /// Handle Bars.
    case handleBars = 0x00ce
    /// Front Brake.
    case frontBrake = 0x00cf
    /// Rear Brake.
    case rearBrake = 0x00d0
  }

  /// Page 0x0003, `vrControls`.
  public enum VRControlsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0003
    /// Belt.
    case belt = 0x0001
    /// Body Suit.
    case bodySuit = 0x0002
    /// Flexor.
    case flexor = 0x0003
    /// Glove.
    case glove = 0x0004
    /// Head Tracker.
    case headTracker = 0x0005
    /// Head Mounted Display.
    case headMountedDisplay = 0x0006
    /// Hand Tracker.
    case handTracker = 0x0007
    /// Oculometer.
    case oculometer = 0x0008
    /// Vest.
    case vest = 0x0009
    /// Animatronic Device.
    case animatronicDevice = 0x000a
    /// Stereo Enable.
    case stereoEnable = 0x0020
    /// Display Enable.
    case displayEnable = 0x0021
  }

  /// Page 0x0004, `sportControls`.
  public enum SportControlsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0004
    /// Baseball Bat.
    case baseballBat = 0x0001
    /// Golf Club.
    case golfClub = 0x0002
    /// Rowing Machine.
    case rowingMachine = 0x0003
    /// Treadmill.
    case treadmill = 0x0004
    /// Oar.
    case oar = 0x0030
    /// Slope.
    case slope = 0x0031
    /// Rate.
    case rate = 0x0032
    /// Stick Speed.
    case stickSpeed = 0x0033
    /// Stick Face Angle.
    case stickFaceAngle = 0x0034
    /// Stick Heel/Toe.
    case stickHeelOrToe = 0x0035
    /// Stick Follow Through.
    case stickFollowThrough = 0x0036
    /// Stick Tempo.
    case stickTempo = 0x0037
    /// Stick Type.
    case stickType = 0x0038
    /// Stick Height.
    case stickHeight = 0x0039
    /// Putter.
    case putter = 0x0050
    /// 1 Iron.
    case oneIron = 0x0051
    /// 2 Iron.
    case twoIron = 0x0052
    /// 3 Iron.
    case threeIron = 0x0053
    /// 4 Iron.
    case fourIron = 0x0054
    /// 5 Iron.
    case fiveIron = 0x0055
    /// 6 Iron.
    case sixIron = 0x0056
    /// 7 Iron.
    case sevenIron = 0x0057
    /// 8 Iron.
    case eightIron = 0x0058
    /// 9 Iron.
    case nineIron = 0x0059
    /// 10 Iron.
    case tenIron = 0x005a
    /// 11 Iron.
    case elevenIron = 0x005b
    /// Sand Wedge.
    case sandWedge = 0x005c
    /// Loft Wedge.
    case loftWedge = 0x005d
    /// Power Wedge.
    case powerWedge = 0x005e
    /// 1 Wood.
    case oneWood = 0x005f
    /// 3 Wood.
    case threeWood = 0x0060
    /// 5 Wood.
    case fiveWood = 0x0061
    /// 7 Wood.
    case sevenWood = 0x0062
    /// 9 Wood.
    case nineWood = 0x0063
  }

  /// Page 0x0005, `gameControls`.
  public enum GameControlsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0005
    /// 3D Game Controller.
    case gameController3D = 0x0001
    /// Pinball Device.
    case pinballDevice = 0x0002
    /// Gun Device.
    case gunDevice = 0x0003
    /// Point of View.
    case pointOfView = 0x0020
    /// Turn Right/Left.
    case turnRightOrLeft = 0x0021
    /// Pitch Forward/Backward.
    case pitchForwardOrBackward = 0x0022
    /// Roll Right/Left.
    case rollRightOrLeft = 0x0023
    /// Move Right/Left.
    case moveRightOrLeft = 0x0024
    /// Move Forward/Backward.
    case moveForwardOrBackward = 0x0025
    /// Move Up/Down.
    case moveUpOrDown = 0x0026
    /// Lean Right/Left.
    case leanRightOrLeft = 0x0027
    /// Lean Forward/Backward.
    case leanForwardOrBackward = 0x0028
    /// Height of POV.
    case heightOfPOV = 0x0029
    /// Flipper.
    case flipper = 0x002a
    /// Secondary Flipper.
    case secondaryFlipper = 0x002b
    /// Bump.
    case bump = 0x002c
    /// New Game.
    case newGame = 0x002d
    /// Shoot Ball.
    case shootBall = 0x002e
    /// Player.
    case player = 0x002f
    /// Gun Bolt.
    case gunBolt = 0x0030
    /// Gun Clip.
    case gunClip = 0x0031
    /// Gun Selector.
    case gunSelector = 0x0032
    /// Gun Single Shot.
    case gunSingleShot = 0x0033
    /// Gun Burst.
    case gunBurst = 0x0034
    /// Gun Automatic.
    case gunAutomatic = 0x0035
    /// Gun Safety.
    case gunSafety = 0x0036
    /// Gamepad Fire/Jump.
    case gamepadFireOrJump = 0x0037
    /// Gamepad Trigger.
    case gamepadTrigger = 0x0039
    /// Form-fitting Gamepad.
    case formFittingGamepad = 0x003a
  }

  /// Page 0x0006, `genericDeviceControls`.
  public enum GenericDeviceControlsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0006
    /// Background/Nonuser Controls.
    case backgroundOrNonuserControls = 0x0001
    /// Battery Strength.
    case batteryStrength = 0x0020
    /// Wireless Channel.
    case wirelessChannel = 0x0021
    /// Wireless ID.
    case wirelessID = 0x0022
    /// Discover Wireless Control.
    case discoverWirelessControl = 0x0023
    /// Security Code Character Entered.
    case securityCodeCharacterEntered = 0x0024
    /// Security Code Character Erased.
    case securityCodeCharacterErased = 0x0025
    /// Security Code Cleared.
    case securityCodeCleared = 0x0026
    /// Sequence ID.
    case sequenceID = 0x0027
    /// Sequence ID Reset.
    case sequenceIDReset = 0x0028
    /// RF Signal Strength.
    case rfSignalStrength = 0x0029
    /// Software Version.
    case softwareVersion = 0x002a
    /// Protocol Version.
    case protocolVersion = 0x002b
    /// Hardware Version.
    case hardwareVersion = 0x002c
    /// Major.
    case major = 0x002d
    /// Minor.
    case minor = 0x002e
    /// Revision.
    case revision = 0x002f
    /// Handedness.
    case handedness = 0x0030
    /// Either Hand.
    case eitherHand = 0x0031
    /// Left Hand.
    case leftHand = 0x0032
    /// Right Hand.
    case rightHand = 0x0033
    /// Both Hands.
    case bothHands = 0x0034
    /// Grip Pose Offset.
    case gripPoseOffset = 0x0040
    /// Pointer Pose Offset.
    case pointerPoseOffset = 0x0041
  }

  /// Page 0x0007, `keyboardOrKeypad`.
  public enum KeyboardOrKeypadUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0007
    /// ErrorRollOver.
    case errorRollOver = 0x0001
    /// POSTFail.
    case postFail = 0x0002
    /// ErrorUndefined.
    case errorUndefined = 0x0003
    /// Keyboard A.
    case keyboardA = 0x0004
    /// Keyboard B.
    case keyboardB = 0x0005
    /// Keyboard C.
    case keyboardC = 0x0006
    /// Keyboard D.
    case keyboardD = 0x0007
    /// Keyboard E.
    case keyboardE = 0x0008
    /// Keyboard F.
    case keyboardF = 0x0009
    /// Keyboard G.
    case keyboardG = 0x000a
    /// Keyboard H.
    case keyboardH = 0x000b
    /// Keyboard I.
    case keyboardI = 0x000c
    /// Keyboard J.
    case keyboardJ = 0x000d
    /// Keyboard K.
    case keyboardK = 0x000e
    /// Keyboard L.
    case keyboardL = 0x000f
    /// Keyboard M.
    case keyboardM = 0x0010
    /// Keyboard N.
    case keyboardN = 0x0011
    /// Keyboard O.
    case keyboardO = 0x0012
    /// Keyboard P.
    case keyboardP = 0x0013
    /// Keyboard Q.
    case keyboardQ = 0x0014
    /// Keyboard R.
    case keyboardR = 0x0015
    /// Keyboard S.
    case keyboardS = 0x0016
    /// Keyboard T.
    case keyboardT = 0x0017
    /// Keyboard U.
    case keyboardU = 0x0018
    /// Keyboard V.
    case keyboardV = 0x0019
    /// Keyboard W.
    case keyboardW = 0x001a
    /// Keyboard X.
    case keyboardX = 0x001b
    /// Keyboard Y.
    case keyboardY = 0x001c
    /// Keyboard Z.
    case keyboardZ = 0x001d
    /// Keyboard 1 and Bang.
    case keyboard1AndBang = 0x001e
    /// Keyboard 2 and At.
    case keyboard2AndAt = 0x001f
    /// Keyboard 3 and Hash.
    case keyboard3AndHash = 0x0020
    /// Keyboard 4 and Dollar.
    case keyboard4AndDollar = 0x0021
    /// Keyboard 5 and Percent.
    case keyboard5AndPercent = 0x0022
    /// Keyboard 6 and Caret.
    case keyboard6AndCaret = 0x0023
    /// Keyboard 7 and Ampersand.
    case keyboard7AndAmpersand = 0x0024
    /// Keyboard 8 and Star.
    case keyboard8AndStar = 0x0025
    /// Keyboard 9 and Left Bracket.
    case keyboard9AndLeftBracket = 0x0026
    /// Keyboard 0 and Right Bracket.
    case keyboard0AndRightBracket = 0x0027
    /// Keyboard Return Enter.
    case keyboardReturnEnter = 0x0028
    /// Keyboard Escape.
    case keyboardEscape = 0x0029
    /// Keyboard Delete.
    case keyboardDelete = 0x002a
    /// Keyboard Tab.
    case keyboardTab = 0x002b
    /// Keyboard Spacebar.
    case keyboardSpacebar = 0x002c
    /// Keyboard Dash and Underscore.
    case keyboardDashAndUnderscore = 0x002d
    /// Keyboard Equals and Plus.
    case keyboardEqualsAndPlus = 0x002e
    /// Keyboard Left Brace.
    case keyboardLeftBrace = 0x002f
    /// Keyboard Right Brace.
    case keyboardRightBrace = 0x0030
    /// Keyboard Backslash and Pipe.
    case keyboardBackslashAndPipe = 0x0031
    /// Keyboard Non-US Hash and Tilde.
    case keyboardNonUSHashAndTilde = 0x0032
    /// Keyboard SemiColon and Colon.
    case keyboardSemiColonAndColon = 0x0033
    /// Keyboard Left Apos and Double.
    case keyboardLeftAposAndDouble = 0x0034
    /// Keyboard Grave Accent and Tilde.
    case keyboardGraveAccentAndTilde = 0x0035
    /// Keyboard Comma and LessThan.
    case keyboardCommaAndLessThan = 0x0036
    /// Keyboard Period and GreaterThan.
    case keyboardPeriodAndGreaterThan = 0x0037
    /// Keyboard ForwardSlash and QuestionMark.
    case keyboardForwardSlashAndQuestionMark = 0x0038
    /// Keyboard Caps Lock.
    case keyboardCapsLock = 0x0039
    /// Keyboard F1.
    case keyboardF1 = 0x003a
    /// Keyboard F2.
    case keyboardF2 = 0x003b
    /// Keyboard F3.
    case keyboardF3 = 0x003c
    /// Keyboard F4.
    case keyboardF4 = 0x003d
    /// Keyboard F5.
    case keyboardF5 = 0x003e
    /// Keyboard F6.
    case keyboardF6 = 0x003f
    /// Keyboard F7.
    case keyboardF7 = 0x0040
    /// Keyboard F8.
    case keyboardF8 = 0x0041
    /// Keyboard F9.
    case keyboardF9 = 0x0042
    /// Keyboard F10.
    case keyboardF10 = 0x0043
    /// Keyboard F11.
    case keyboardF11 = 0x0044
    /// Keyboard F12.
    case keyboardF12 = 0x0045
    /// Keyboard PrintScreen.
    case keyboardPrintScreen = 0x0046
    /// Keyboard Scroll Lock.
    case keyboardScrollLock = 0x0047
    /// Keyboard Pause.
    case keyboardPause = 0x0048
    /// Keyboard Insert.
    case keyboardInsert = 0x0049
    /// Keyboard Home.
    case keyboardHome = 0x004a
    /// Keyboard PageUp.
    case keyboardPageUp = 0x004b
    /// Keyboard Delete Forward.
    case keyboardDeleteForward = 0x004c
    /// Keyboard End.
    case keyboardEnd = 0x004d
    /// Keyboard PageDown.
    case keyboardPageDown = 0x004e
    /// Keyboard RightArrow.
    case keyboardRightArrow = 0x004f
    /// Keyboard LeftArrow.
    case keyboardLeftArrow = 0x0050
    /// Keyboard DownArrow.
    case keyboardDownArrow = 0x0051
    /// Keyboard UpArrow.
    case keyboardUpArrow = 0x0052
    /// Keypad Num Lock and Clear.
    case keypadNumLockAndClear = 0x0053
    /// Keypad ForwardSlash.
    case keypadForwardSlash = 0x0054
    /// Keypad Star.
    case keypadStar = 0x0055
    /// Keypad Dash.
    case keypadDash = 0x0056
    /// Keypad Plus.
    case keypadPlus = 0x0057
    /// Keypad ENTER.
    case keypadENTER = 0x0058
    /// Keypad 1 and End.
    case keypad1AndEnd = 0x0059
    /// Keypad 2 and Down Arrow.
    case keypad2AndDownArrow = 0x005a
    /// Keypad 3 and PageDn.
    case keypad3AndPageDn = 0x005b
    /// Keypad 4 and Left Arrow.
    case keypad4AndLeftArrow = 0x005c
    /// Keypad 5.
    case keypad5 = 0x005d
    /// Keypad 6 and Right Arrow.
    case keypad6AndRightArrow = 0x005e
    /// Keypad 7 and Home.
    case keypad7AndHome = 0x005f
    /// Keypad 8 and Up Arrow.
    case keypad8AndUpArrow = 0x0060
    /// Keypad 9 and PageUp.
    case keypad9AndPageUp = 0x0061
    /// Keypad 0 and Insert.
    case keypad0AndInsert = 0x0062
    /// Keypad Period and Delete.
    case keypadPeriodAndDelete = 0x0063
    /// Keyboard Non-US Backslash and Pipe.
    case keyboardNonUSBackslashAndPipe = 0x0064
    /// Keyboard Application.
    case keyboardApplication = 0x0065
    /// Keyboard Power.
    case keyboardPower = 0x0066
    /// Keypad Equals.
    case keypadEquals = 0x0067
    /// Keyboard F13.
    case keyboardF13 = 0x0068
    /// Keyboard F14.
    case keyboardF14 = 0x0069
    /// Keyboard F15.
    case keyboardF15 = 0x006a
    /// Keyboard F16.
    case keyboardF16 = 0x006b
    /// Keyboard F17.
    case keyboardF17 = 0x006c
    /// Keyboard F18.
    case keyboardF18 = 0x006d
    /// Keyboard F19.
    case keyboardF19 = 0x006e
    /// Keyboard F20.
    case keyboardF20 = 0x006f
    /// Keyboard F21.
    case keyboardF21 = 0x0070
    /// Keyboard F22.
    case keyboardF22 = 0x0071
    /// Keyboard F23.
    case keyboardF23 = 0x0072
    /// Keyboard F24.
    case keyboardF24 = 0x0073
    /// Keyboard Execute.
    case keyboardExecute = 0x0074
    /// Keyboard Help.
    case keyboardHelp = 0x0075
    /// Keyboard Menu.
    case keyboardMenu = 0x0076
    /// Keyboard Select.
    case keyboardSelect = 0x0077
    /// Keyboard Stop.
    case keyboardStop = 0x0078
    /// Keyboard Again.
    case keyboardAgain = 0x0079
    /// Keyboard Undo.
    case keyboardUndo = 0x007a
    /// Keyboard Cut.
    case keyboardCut = 0x007b
    /// Keyboard Copy.
    case keyboardCopy = 0x007c
    /// Keyboard Paste.
    case keyboardPaste = 0x007d
    /// Keyboard Find.
    case keyboardFind = 0x007e
    /// Keyboard Mute.
    case keyboardMute = 0x007f
    /// Keyboard Volume Up.
    case keyboardVolumeUp = 0x0080
    /// Keyboard Volume Down.
    case keyboardVolumeDown = 0x0081
    /// Keyboard Locking Caps Lock.
    case keyboardLockingCapsLock = 0x0082
    /// Keyboard Locking Num Lock.
    case keyboardLockingNumLock = 0x0083
    /// Keyboard Locking Scroll Lock.
    case keyboardLockingScrollLock = 0x0084
    /// Keypad Comma.
    case keypadComma = 0x0085
    /// Keypad Equal Sign.
    case keypadEqualSign = 0x0086
    /// Keyboard International1.
    case keyboardInternational1 = 0x0087
    /// Keyboard International2.
    case keyboardInternational2 = 0x0088
    /// Keyboard International3.
    case keyboardInternational3 = 0x0089
    /// Keyboard International4.
    case keyboardInternational4 = 0x008a
    /// Keyboard International5.
    case keyboardInternational5 = 0x008b
    /// Keyboard International6.
    case keyboardInternational6 = 0x008c
    /// Keyboard International7.
    case keyboardInternational7 = 0x008d
    /// Keyboard International8.
    case keyboardInternational8 = 0x008e
    /// Keyboard International9.
    case keyboardInternational9 = 0x008f
    /// Keyboard LANG1.
    case keyboardLANG1 = 0x0090
    /// Keyboard LANG2.
    case keyboardLANG2 = 0x0091
    /// Keyboard LANG3.
    case keyboardLANG3 = 0x0092
    /// Keyboard LANG4.
    case keyboardLANG4 = 0x0093
    /// Keyboard LANG5.
    case keyboardLANG5 = 0x0094
    /// Keyboard LANG6.
    case keyboardLANG6 = 0x0095
    /// Keyboard LANG7.
    case keyboardLANG7 = 0x0096
    /// Keyboard LANG8.
    case keyboardLANG8 = 0x0097
    /// Keyboard LANG9.
    case keyboardLANG9 = 0x0098
    /// Keyboard Alternate Erase.
    case keyboardAlternateErase = 0x0099
    /// Keyboard SysReq Attention.
    case keyboardSysReqAttention = 0x009a
    /// Keyboard Cancel.
    case keyboardCancel = 0x009b
    /// Keyboard Clear.
    case keyboardClear = 0x009c
    /// Keyboard Prior.
    case keyboardPrior = 0x009d
    /// Keyboard Return.
    case keyboardReturn = 0x009e
    /// Keyboard Separator.
    case keyboardSeparator = 0x009f
    /// Keyboard Out.
    case keyboardOut = 0x00a0
    /// Keyboard Oper.
    case keyboardOper = 0x00a1
    /// Keyboard Clear Again.
    case keyboardClearAgain = 0x00a2
    /// Keyboard CrSel Props.
    case keyboardCrSelProps = 0x00a3
    /// Keyboard ExSel.
    case keyboardExSel = 0x00a4
    /// Keypad Double 0.
    case keypadDouble0 = 0x00b0
    /// Keypad Triple 0.
    case keypadTriple0 = 0x00b1
    /// Thousands Separator.
    case thousandsSeparator = 0x00b2
    /// Decimal Separator.
    case decimalSeparator = 0x00b3
    /// Currency Unit.
    case currencyUnit = 0x00b4
    /// Currency Sub-unit.
    case currencySubUnit = 0x00b5
    /// Keypad Left Bracket.
    case keypadLeftBracket = 0x00b6
    /// Keypad Right Bracket.
    case keypadRightBracket = 0x00b7
    /// Keypad Left Brace.
    case keypadLeftBrace = 0x00b8
    /// Keypad Right Brace.
    case keypadRightBrace = 0x00b9
    /// Keypad Tab.
    case keypadTab = 0x00ba
    /// Keypad Backspace.
    case keypadBackspace = 0x00bb
    /// Keypad A.
    case keypadA = 0x00bc
    /// Keypad B.
    case keypadB = 0x00bd
    /// Keypad C.
    case keypadC = 0x00be
    /// Keypad D.
    case keypadD = 0x00bf
    /// Keypad E.
    case keypadE = 0x00c0
    /// Keypad F.
    case keypadF = 0x00c1
    /// Keypad XOR.
    case keypadXOR = 0x00c2
    /// Keypad Caret.
    case keypadCaret = 0x00c3
    /// Keypad Percentage.
    case keypadPercentage = 0x00c4
    /// Keypad Less.
    case keypadLess = 0x00c5
    /// Keypad Greater.
    case keypadGreater = 0x00c6
    /// Keypad Ampersand.
    case keypadAmpersand = 0x00c7
    /// Keypad Double Ampersand.
    case keypadDoubleAmpersand = 0x00c8
    /// Keypad Bar.
    case keypadBar = 0x00c9
    /// Keypad Double Bar.
    case keypadDoubleBar = 0x00ca
    /// Keypad Colon.
    case keypadColon = 0x00cb
    /// Keypad Hash.
    case keypadHash = 0x00cc
    /// Keypad Space.
    case keypadSpace = 0x00cd
    /// Keypad At.
    case keypadAt = 0x00ce
    /// Keypad Bang.
    case keypadBang = 0x00cf
    /// Keypad Memory Store.
    case keypadMemoryStore = 0x00d0
    /// Keypad Memory Recall.
    case keypadMemoryRecall = 0x00d1
    /// Keypad Memory Clear.
    case keypadMemoryClear = 0x00d2
    /// Keypad Memory Add.
    case keypadMemoryAdd = 0x00d3
    /// Keypad Memory Subtract.
    case keypadMemorySubtract = 0x00d4
    /// Keypad Memory Multiply.
    case keypadMemoryMultiply = 0x00d5
    /// Keypad Memory Divide.
    case keypadMemoryDivide = 0x00d6
    /// Keypad Plus Minus.
    case keypadPlusMinus = 0x00d7
    /// Keypad Clear.
    case keypadClear = 0x00d8
    /// Keypad Clear Entry.
    case keypadClearEntry = 0x00d9
    /// Keypad Binary.
    case keypadBinary = 0x00da
    /// Keypad Octal.
    case keypadOctal = 0x00db
    /// Keypad Decimal.
    case keypadDecimal = 0x00dc
    /// Keypad Hexadecimal.
    case keypadHexadecimal = 0x00dd
    /// Keyboard LeftControl.
    case keyboardLeftControl = 0x00e0
    /// Keyboard LeftShift.
    case keyboardLeftShift = 0x00e1
    /// Keyboard LeftAlt.
    case keyboardLeftAlt = 0x00e2
    /// Keyboard Left GUI.
    case keyboardLeftGUI = 0x00e3
    /// Keyboard RightControl.
    case keyboardRightControl = 0x00e4
    /// Keyboard RightShift.
    case keyboardRightShift = 0x00e5
    /// Keyboard RightAlt.
    case keyboardRightAlt = 0x00e6
    /// Keyboard Right GUI.
    case keyboardRightGUI = 0x00e7
  }

  /// Page 0x0008, `led`.
  public enum LEDUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0008
    /// Num Lock.
    case numLock = 0x0001
    /// Caps Lock.
    case capsLock = 0x0002
    /// Scroll Lock.
    case scrollLock = 0x0003
    /// Compose.
    case compose = 0x0004
    /// Kana.
    case kana = 0x0005
    /// Power.
    case power = 0x0006
    /// Shift.
    case shift = 0x0007
    /// Do Not Disturb.
    case doNotDisturb = 0x0008
    /// Mute.
    case mute = 0x0009
    /// Tone Enable.
    case toneEnable = 0x000a
    /// High Cut Filter.
    case highCutFilter = 0x000b
    /// Low Cut Filter.
    case lowCutFilter = 0x000c
    /// Equalizer Enable.
    case equalizerEnable = 0x000d
    /// Sound Field On.
    case soundFieldOn = 0x000e
    /// Surround On.
    case surroundOn = 0x000f
    /// Repeat.
    case repeatTrack = 0x0010
    /// Stereo.
    case stereo = 0x0011
    /// Sampling Rate Detect.
    case samplingRateDetect = 0x0012
    /// Spinning.
    case spinning = 0x0013
    /// CAV.
    case cav = 0x0014
    /// CLV.
    case clv = 0x0015
    /// Recording Format Detect.
    case recordingFormatDetect = 0x0016
    /// Off-Hook.
    case offHook = 0x0017
    /// Ring.
    case ring = 0x0018
    /// Message Waiting.
    case messageWaiting = 0x0019
    /// Data Mode.
    case dataMode = 0x001a
    /// Battery Operation.
    case batteryOperation = 0x001b
    /// Battery OK.
    case batteryOK = 0x001c
    /// Battery Low.
    case batteryLow = 0x001d
    /// Speaker.
    case speaker = 0x001e
    /// Headset.
    case headset = 0x001f
    /// Hold.
    case hold = 0x0020
    /// Microphone.
    case microphone = 0x0021
    /// Coverage.
    case coverage = 0x0022
    /// Night Mode.
    case nightMode = 0x0023
    /// Send Calls.
    case sendCalls = 0x0024
    /// Call Pickup.
    case callPickup = 0x0025
    /// Conference.
    case conference = 0x0026
    /// Stand-by.
    case standBy = 0x0027
    /// Camera On.
    case cameraOn = 0x0028
    /// Camera Off.
    case cameraOff = 0x0029
    /// On-Line.
    case onLine = 0x002a
    /// Off-Line.
    case offLine = 0x002b
    /// Busy.
    case busy = 0x002c
    /// Ready.
    case ready = 0x002d
    /// Paper-Out.
    case paperOut = 0x002e
    /// Paper-Jam.
    case paperJam = 0x002f
    /// Remote.
    case remote = 0x0030
    /// Forward.
    case forward = 0x0031
    /// Reverse.
    case reverse = 0x0032
    /// Stop.
    case stop = 0x0033
    /// Rewind.
    case rewind = 0x0034
    /// Fast Forward.
    case fastForward = 0x0035
    /// Play.
    case play = 0x0036
    /// Pause.
    case pause = 0x0037
    /// Record.
    case record = 0x0038
    /// Error.
    case error = 0x0039
    /// Usage Selected Indicator.
    case usageSelectedIndicator = 0x003a
    /// Usage In Use Indicator.
    case usageInUseIndicator = 0x003b
    /// Usage Multi Mode Indicator.
    case usageMultiModeIndicator = 0x003c
    /// Indicator On.
    case indicatorOn = 0x003d
    /// Indicator Flash.
    case indicatorFlash = 0x003e
    /// Indicator Slow Blink.
    case indicatorSlowBlink = 0x003f
    /// Indicator Fast Blink.
    case indicatorFastBlink = 0x0040
    /// Indicator Off.
    case indicatorOff = 0x0041
    /// Flash On Time.
    case flashOnTime = 0x0042
    /// Slow Blink On Time.
    case slowBlinkOnTime = 0x0043
    /// Slow Blink Off Time.
    case slowBlinkOffTime = 0x0044
    /// Fast Blink On Time.
    case fastBlinkOnTime = 0x0045
    /// Fast Blink Off Time.
    case fastBlinkOffTime = 0x0046
    /// Usage Indicator Color.
    case usageIndicatorColor = 0x0047
    /// Indicator Red.
    case indicatorRed = 0x0048
    /// Indicator Green.
    case indicatorGreen = 0x0049
    /// Indicator Amber.
    case indicatorAmber = 0x004a
    /// Generic Indicator.
    case genericIndicator = 0x004b
    /// System Suspend.
    case systemSuspend = 0x004c
    /// External Power Connected.
    case externalPowerConnected = 0x004d
    /// Indicator Blue.
    case indicatorBlue = 0x004e
    /// Indicator Orange.
    case indicatorOrange = 0x004f
    /// Good Status.
    case goodStatus = 0x0050
    /// Warning Status.
    case warningStatus = 0x0051
    /// RGB LED.
    case rgbLED = 0x0052
    /// Red LED Channel.
    case redLEDChannel = 0x0053
    /// Blue LED Channel.
    case blueLEDChannel = 0x0054
    /// Green LED Channel.
    case greenLEDChannel = 0x0055
    /// LED Intensity.
    case ledIntensity = 0x0056
    /// System Microphone Mute.
    case systemMicrophoneMute = 0x0057
    /// Player Indicator.
    case playerIndicator = 0x0060
    /// Player 1.
    case player1 = 0x0061
    /// Player 2.
    case player2 = 0x0062
    /// Player 3.
    case player3 = 0x0063
    /// Player 4.
    case player4 = 0x0064
    /// Player 5.
    case player5 = 0x0065
    /// Player 6.
    case player6 = 0x0066
    /// Player 7.
    case player7 = 0x0067
    /// Player 8.
    case player8 = 0x0068
  }

  /// Page 0x0009, `button`, whose usages are numbers without names.
  public enum ButtonUsage: Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0009
  }

  /// Page 0x000a, `ordinal`, whose usages are numbers without names.
  public enum OrdinalUsage: Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x000a
  }

  /// Page 0x000b, `telephonyDevice`.
  public enum TelephonyDeviceUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x000b
    /// Phone.
    case phone = 0x0001
    /// Answering Machine.
    case answeringMachine = 0x0002
    /// Message Controls.
    case messageControls = 0x0003
    /// Handset.
    case handset = 0x0004
    /// Headset.
    case headset = 0x0005
    /// Telephony Key Pad.
    case telephonyKeyPad = 0x0006
    /// Programmable Button.
    case programmableButton = 0x0007
    /// Hook Switch.
    case hookSwitch = 0x0020
    /// Flash.
    case flash = 0x0021
    /// Feature.
    case feature = 0x0022
    /// Hold.
    case hold = 0x0023
    /// Redial.
    case redial = 0x0024
    /// Transfer.
    case transfer = 0x0025
    /// Drop.
    case drop = 0x0026
    /// Park.
    case park = 0x0027
    /// Forward Calls.
    case forwardCalls = 0x0028
    /// Alternate Function.
    case alternateFunction = 0x0029
    /// Line.
    case line = 0x002a
    /// Speaker Phone.
    case speakerPhone = 0x002b
    /// Conference.
    case conference = 0x002c
    /// Ring Enable.
    case ringEnable = 0x002d
    /// Ring Select.
    case ringSelect = 0x002e
    /// Phone Mute.
    case phoneMute = 0x002f
    /// Caller ID.
    case callerID = 0x0030
    /// Send.
    case send = 0x0031
    /// Speed Dial.
    case speedDial = 0x0050
    /// Store Number.
    case storeNumber = 0x0051
    /// Recall Number.
    case recallNumber = 0x0052
    /// Phone Directory.
    case phoneDirectory = 0x0053
    /// Voice Mail.
    case voiceMail = 0x0070
    /// Screen Calls.
    case screenCalls = 0x0071
    /// Do Not Disturb.
    case doNotDisturb = 0x0072
    /// Message.
    case message = 0x0073
    /// Answer On/Off.
    case answerOnOrOff = 0x0074
    /// Inside Dial Tone.
    case insideDialTone = 0x0090
    /// Outside Dial Tone.
    case outsideDialTone = 0x0091
    /// Inside Ring Tone.
    case insideRingTone = 0x0092
    /// Outside Ring Tone.
    case outsideRingTone = 0x0093
    /// Priority Ring Tone.
    case priorityRingTone = 0x0094
    /// Inside Ringback.
    case insideRingback = 0x0095
    /// Priority Ringback.
    case priorityRingback = 0x0096
    /// Line Busy Tone.
    case lineBusyTone = 0x0097
    /// Reorder Tone.
    case reorderTone = 0x0098
    /// Call Waiting Tone.
    case callWaitingTone = 0x0099
    /// Confirmation Tone 1.
    case confirmationTone1 = 0x009a
    /// Confirmation Tone 2.
    case confirmationTone2 = 0x009b
    /// Tones Off.
    case tonesOff = 0x009c
    /// Outside Ringback.
    case outsideRingback = 0x009d
    /// Ringer.
    case ringer = 0x009e
    /// Phone Key 0.
    case phoneKey0 = 0x00b0
    /// Phone Key 1.
    case phoneKey1 = 0x00b1
    /// Phone Key 2.
    case phoneKey2 = 0x00b2
    /// Phone Key 3.
    case phoneKey3 = 0x00b3
    /// Phone Key 4.
    case phoneKey4 = 0x00b4
    /// Phone Key 5.
    case phoneKey5 = 0x00b5
    /// Phone Key 6.
    case phoneKey6 = 0x00b6
    /// Phone Key 7.
    case phoneKey7 = 0x00b7
    /// Phone Key 8.
    case phoneKey8 = 0x00b8
    /// Phone Key 9.
    case phoneKey9 = 0x00b9
    /// Phone Key Star.
    case phoneKeyStar = 0x00ba
    /// Phone Key Pound.
    case phoneKeyPound = 0x00bb
    /// Phone Key A.
    case phoneKeyA = 0x00bc
    /// Phone Key B.
    case phoneKeyB = 0x00bd
    /// Phone Key C.
    case phoneKeyC = 0x00be
    /// Phone Key D.
    case phoneKeyD = 0x00bf
    /// Phone Call History Key.
    case phoneCallHistoryKey = 0x00c0
    /// Phone Caller ID Key.
    case phoneCallerIDKey = 0x00c1
    /// Phone Settings Key.
    case phoneSettingsKey = 0x00c2
    /// Host Control.
    case hostControl = 0x00f0
    /// Host Available.
    case hostAvailable = 0x00f1
    /// Host Call Active.
    case hostCallActive = 0x00f2
    /// Activate Handset Audio.
    case activateHandsetAudio = 0x00f3
    /// Ring Type.
    case ringType = 0x00f4
    /// Re-dialable Phone Number.
    case reDialablePhoneNumber = 0x00f5
    /// Stop Ring Tone.
    case stopRingTone = 0x00f8
    /// PSTN Ring Tone.
    case pstnRingTone = 0x00f9
    /// Host Ring Tone.
    case hostRingTone = 0x00fa
    /// Alert Sound Error.
    case alertSoundError = 0x00fb
    /// Alert Sound Confirm.
    case alertSoundConfirm = 0x00fc
    /// Alert Sound Notification.
    case alertSoundNotification = 0x00fd
    /// Silent Ring.
    case silentRing = 0x00fe
    /// Email Message Waiting.
    case emailMessageWaiting = 0x0108
    /// Voicemail Message Waiting.
    case voicemailMessageWaiting = 0x0109
    /// Host Hold.
    case hostHold = 0x010a
    /// Incoming Call History Count.
    case incomingCallHistoryCount = 0x0110
    /// Outgoing Call History Count.
    case outgoingCallHistoryCount = 0x0111
    /// Incoming Call History.
    case incomingCallHistory = 0x0112
    /// Outgoing Call History.
    case outgoingCallHistory = 0x0113
    /// Phone Locale.
    case phoneLocale = 0x0114
    /// Phone Time Second.
    case phoneTimeSecond = 0x0140
    /// Phone Time Minute.
    case phoneTimeMinute = 0x0141
    /// Phone Time Hour.
    case phoneTimeHour = 0x0142
    /// Phone Date Day.
    case phoneDateDay = 0x0143
    /// Phone Date Month.
    case phoneDateMonth = 0x0144
    /// Phone Date Year.
    case phoneDateYear = 0x0145
    /// Handset Nickname.
    case handsetNickname = 0x0146
    /// Address Book ID.
    case addressBookID = 0x0147
    /// Call Duration.
    case callDuration = 0x014a
    /// Dual Mode Phone.
    case dualModePhone = 0x014b
  }

  /// Page 0x000c, `consumer`.
  public enum ConsumerUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x000c
    /// Consumer Control.
    case consumerControl = 0x0001
    /// Numeric Key Pad.
    case numericKeyPad = 0x0002
    /// Programmable Buttons.
    case programmableButtons = 0x0003
    /// Microphone.
    case microphone = 0x0004
    /// Headphone.
    case headphone = 0x0005
    /// Graphic Equalizer.
    case graphicEqualizer = 0x0006
    /// +10.
    case plus10 = 0x0020
    /// +100.
    case plus100 = 0x0021
    /// AM/PM.
    case amOrPM = 0x0022
    /// Power.
    case power = 0x0030
    /// Reset.
    case reset = 0x0031
    /// Sleep.
    case sleep = 0x0032
    /// Sleep After.
    case sleepAfter = 0x0033
    /// Sleep Mode.
    case sleepMode = 0x0034
    /// Illumination.
    case illumination = 0x0035
    /// Function Buttons.
    case functionButtons = 0x0036
    /// Menu.
    case menu = 0x0040
    /// Menu Pick.
    case menuPick = 0x0041
    /// Menu Up.
    case menuUp = 0x0042
    /// Menu Down.
    case menuDown = 0x0043
    /// Menu Left.
    case menuLeft = 0x0044
    /// Menu Right.
    case menuRight = 0x0045
    /// Menu Escape.
    case menuEscape = 0x0046
    /// Menu Value Increase.
    case menuValueIncrease = 0x0047
    /// Menu Value Decrease.
    case menuValueDecrease = 0x0048
    /// Data On Screen.
    case dataOnScreen = 0x0060
    /// Closed Caption.
    case closedCaption = 0x0061
    /// Closed Caption Select.
    case closedCaptionSelect = 0x0062
    /// VCR/TV.
    case vcrOrTV = 0x0063
    /// Broadcast Mode.
    case broadcastMode = 0x0064
    /// Snapshot.
    case snapshot = 0x0065
    /// Still.
    case still = 0x0066
    /// Picture-in-Picture Toggle.
    case pictureInPictureToggle = 0x0067
    /// Picture-in-Picture Swap.
    case pictureInPictureSwap = 0x0068
    /// Red Menu Button.
    case redMenuButton = 0x0069
    /// Green Menu Button.
    case greenMenuButton = 0x006a
    /// Blue Menu Button.
    case blueMenuButton = 0x006b
    /// Yellow Menu Button.
    case yellowMenuButton = 0x006c
    /// Aspect.
    case aspect = 0x006d
    /// 3D Mode Select.
    case modeSelect3D = 0x006e
    /// Display Brightness Increment.
    case displayBrightnessIncrement = 0x006f
    /// Display Brightness Decrement.
    case displayBrightnessDecrement = 0x0070
    /// Display Brightness.
    case displayBrightness = 0x0071
    /// Display Backlight Toggle.
    case displayBacklightToggle = 0x0072
    /// Display Set Brightness to Minimum.
    case displaySetBrightnessToMinimum = 0x0073
    /// Display Set Brightness to Maximum.
    case displaySetBrightnessToMaximum = 0x0074
    /// Display Set Auto Brightness.
    case displaySetAutoBrightness = 0x0075
    /// Camera Access Enabled.
    case cameraAccessEnabled = 0x0076
    /// Camera Access Disabled.
    case cameraAccessDisabled = 0x0077
    /// Camera Access Toggle.
    case cameraAccessToggle = 0x0078
    /// Keyboard Brightness Increment.
    case keyboardBrightnessIncrement = 0x0079
    /// Keyboard Brightness Decrement.
    case keyboardBrightnessDecrement = 0x007a
    /// Keyboard Backlight Set Level.
    case keyboardBacklightSetLevel = 0x007b
    /// Keyboard Backlight OOC.
    case keyboardBacklightOOC = 0x007c
    /// Keyboard Backlight Set Minimum.
    case keyboardBacklightSetMinimum = 0x007d
    /// Keyboard Backlight Set Maximum.
    case keyboardBacklightSetMaximum = 0x007e
    /// Keyboard Backlight Auto.
    case keyboardBacklightAuto = 0x007f
    /// Selection.
    case selection = 0x0080
    /// Assign Selection.
    case assignSelection = 0x0081
    /// Mode Step.
    case modeStep = 0x0082
    /// Recall Last.
    case recallLast = 0x0083
    /// Enter Channel.
    case enterChannel = 0x0084
    /// Order Movie.
    case orderMovie = 0x0085
    /// Channel.
    case channel = 0x0086
    /// Media Selection.
    case mediaSelection = 0x0087
    /// Media Select Computer.
    case mediaSelectComputer = 0x0088
    /// Media Select TV.
    case mediaSelectTV = 0x0089
    /// Media Select WWW.
    case mediaSelectWWW = 0x008a
    /// Media Select DVD.
    case mediaSelectDVD = 0x008b
    /// Media Select Telephone.
    case mediaSelectTelephone = 0x008c
    /// Media Select Program Guide.
    case mediaSelectProgramGuide = 0x008d
    /// Media Select Video Phone.
    case mediaSelectVideoPhone = 0x008e
    /// Media Select Games.
    case mediaSelectGames = 0x008f
    /// Media Select Messages.
    case mediaSelectMessages = 0x0090
    /// Media Select CD.
    case mediaSelectCD = 0x0091
    /// Media Select VCR.
    case mediaSelectVCR = 0x0092
    /// Media Select Tuner.
    case mediaSelectTuner = 0x0093
    /// Quit.
    case quit = 0x0094
    /// Help.
    case help = 0x0095
    /// Media Select Tape.
    case mediaSelectTape = 0x0096
    /// Media Select Cable.
    case mediaSelectCable = 0x0097
    /// Media Select Satellite.
    case mediaSelectSatellite = 0x0098
    /// Media Select Security.
    case mediaSelectSecurity = 0x0099
    /// Media Select Home.
    case mediaSelectHome = 0x009a
    /// Media Select Call.
    case mediaSelectCall = 0x009b
    /// Channel Increment.
    case channelIncrement = 0x009c
    /// Channel Decrement.
    case channelDecrement = 0x009d
    /// Media Select SAP.
    case mediaSelectSAP = 0x009e
    /// VCR Plus.
    case vcrPlus = 0x00a0
    /// Once.
    case once = 0x00a1
    /// Daily.
    case daily = 0x00a2
    /// Weekly.
    case weekly = 0x00a3
    /// Monthly.
    case monthly = 0x00a4
    /// Play.
    case play = 0x00b0
    /// Pause.
    case pause = 0x00b1
    /// Record.
    case record = 0x00b2
    /// Fast Forward.
    case fastForward = 0x00b3
    /// Rewind.
    case rewind = 0x00b4
    /// Scan Next Track.
    case scanNextTrack = 0x00b5
    /// Scan Previous Track.
    case scanPreviousTrack = 0x00b6
    /// Stop.
    case stop = 0x00b7
    /// Eject.
    case eject = 0x00b8
    /// Random Play.
    case randomPlay = 0x00b9
    /// Select Disc.
    case selectDisc = 0x00ba
    /// Enter Disc.
    case enterDisc = 0x00bb
    /// Repeat.
    case repeatTrack = 0x00bc
    /// Tracking.
    case tracking = 0x00bd
    /// Track Normal.
    case trackNormal = 0x00be
    /// Slow Tracking.
    case slowTracking = 0x00bf
    /// Frame Forward.
    case frameForward = 0x00c0
    /// Frame Back.
    case frameBack = 0x00c1
    /// Mark.
    case mark = 0x00c2
    /// Clear Mark.
    case clearMark = 0x00c3
    /// Repeat From Mark.
    case repeatFromMark = 0x00c4
    /// Return To Mark.
    case returnToMark = 0x00c5
    /// Search Mark Forward.
    case searchMarkForward = 0x00c6
    /// Search Mark Backwards.
    case searchMarkBackwards = 0x00c7
    /// Counter Reset.
    case counterReset = 0x00c8
    /// Show Counter.
    case showCounter = 0x00c9
    /// Tracking Increment.
    case trackingIncrement = 0x00ca
    /// Tracking Decrement.
    case trackingDecrement = 0x00cb
    /// Stop/Eject.
    case stopOrEject = 0x00cc
    /// Play/Pause.
    case playOrPause = 0x00cd
    /// Play/Skip.
    case playOrSkip = 0x00ce
    /// Voice Command.
    case voiceCommand = 0x00cf
    /// Invoke Capture Interface.
    case invokeCaptureInterface = 0x00d0
    /// Start or Stop Game Recording.
    case startOrStopGameRecording = 0x00d1
    /// Historical Game Capture.
    case historicalGameCapture = 0x00d2
    /// Capture Game Screenshot.
    case captureGameScreenshot = 0x00d3
    /// Show or Hide Recording Indicator.
    case showOrHideRecordingIndicator = 0x00d4
    /// Start or Stop Microphone Capture.
    case startOrStopMicrophoneCapture = 0x00d5
    /// Start or Stop Camera Capture.
    case startOrStopCameraCapture = 0x00d6
    /// Start or Stop Game Broadcast.
    case startOrStopGameBroadcast = 0x00d7
    /// Start or Stop Voice Dictation Session.
    case startOrStopVoiceDictationSession = 0x00d8
    /// Invoke/Dismiss Emoji Picker.
    case invokeOrDismissEmojiPicker = 0x00d9
    /// Volume.
    case volume = 0x00e0
    /// Balance.
    case balance = 0x00e1
    /// Mute.
    case mute = 0x00e2
    /// Bass.
    case bass = 0x00e3
    /// Treble.
    case treble = 0x00e4
    /// Bass Boost.
    case bassBoost = 0x00e5
    /// Surround Mode.
    case surroundMode = 0x00e6
    /// Loudness.
    case loudness = 0x00e7
    /// MPX.
    case mpx = 0x00e8
    /// Volume Increment.
    case volumeIncrement = 0x00e9
    /// Volume Decrement.
    case volumeDecrement = 0x00ea
    /// Speed Select.
    case speedSelect = 0x00f0
    /// Playback Speed.
    case playbackSpeed = 0x00f1
    /// Standard Play.
    case standardPlay = 0x00f2
    /// Long Play.
    case longPlay = 0x00f3
    /// Extended Play.
    case extendedPlay = 0x00f4
    /// Slow.
    case slow = 0x00f5
    /// Fan Enable.
    case fanEnable = 0x0100
    /// Fan Speed.
    case fanSpeed = 0x0101
    /// Light Enable.
    case lightEnable = 0x0102
    /// Light Illumination Level.
    case lightIlluminationLevel = 0x0103
    /// Climate Control Enable.
    case climateControlEnable = 0x0104
    /// Room Temperature.
    case roomTemperature = 0x0105
    /// Security Enable.
    case securityEnable = 0x0106
    /// Fire Alarm.
    case fireAlarm = 0x0107
    /// Police Alarm.
    case policeAlarm = 0x0108
    /// Proximity.
    case proximity = 0x0109
    /// Motion.
    case motion = 0x010a
    /// Duress Alarm.
    case duressAlarm = 0x010b
    /// Holdup Alarm.
    case holdupAlarm = 0x010c
    /// Medical Alarm.
    case medicalAlarm = 0x010d
    /// Balance Right.
    case balanceRight = 0x0150
    /// Balance Left.
    case balanceLeft = 0x0151
    /// Bass Increment.
    case bassIncrement = 0x0152
    /// Bass Decrement.
    case bassDecrement = 0x0153
    /// Treble Increment.
    case trebleIncrement = 0x0154
    /// Treble Decrement.
    case trebleDecrement = 0x0155
    /// Speaker System.
    case speakerSystem = 0x0160
    /// Channel Left.
    case channelLeft = 0x0161
    /// Channel Right.
    case channelRight = 0x0162
    /// Channel Center.
    case channelCenter = 0x0163
    /// Channel Front.
    case channelFront = 0x0164
    /// Channel Center Front.
    case channelCenterFront = 0x0165
    /// Channel Side.
    case channelSide = 0x0166
    /// Channel Surround.
    case channelSurround = 0x0167
    /// Channel Low Frequency Enhancement.
    case channelLowFrequencyEnhancement = 0x0168
    /// Channel Top.
    case channelTop = 0x0169
    /// Channel Unknown.
    case channelUnknown = 0x016a
    /// Sub-channel.
    case subChannel = 0x0170
    /// Sub-channel Increment.
    case subChannelIncrement = 0x0171
    /// Sub-channel Decrement.
    case subChannelDecrement = 0x0172
    /// Alternate Audio Increment.
    case alternateAudioIncrement = 0x0173
    /// Alternate Audio Decrement.
    case alternateAudioDecrement = 0x0174
    /// Application Launch Buttons.
    case applicationLaunchButtons = 0x0180
    /// AL Launch Button Configuration Tool.
    case alLaunchButtonConfigurationTool = 0x0181
    /// AL Programmable Button Configuration.
    case alProgrammableButtonConfiguration = 0x0182
    /// AL Consumer Control Configuration.
    case alConsumerControlConfiguration = 0x0183
    /// AL Word Processor.
    case alWordProcessor = 0x0184
    /// AL Text Editor.
    case alTextEditor = 0x0185
    /// AL Spreadsheet.
    case alSpreadsheet = 0x0186
    /// AL Graphics Editor.
    case alGraphicsEditor = 0x0187
    /// AL Presentation App.
    case alPresentationApp = 0x0188
    /// AL Database App.
    case alDatabaseApp = 0x0189
    /// AL Email Reader.
    case alEmailReader = 0x018a
    /// AL Newsreader.
    case alNewsreader = 0x018b
    /// AL Voicemail.
    case alVoicemail = 0x018c
    /// AL Contacts/Address Book.
    case alContactsOrAddressBook = 0x018d
    /// AL Calendar/Schedule.
    case alCalendarOrSchedule = 0x018e
    /// AL Task/Project Manager.
    case alTaskOrProjectManager = 0x018f
    /// AL Log/Journal/Timecard.
    case alLogOrJournalOrTimecard = 0x0190
    /// AL Checkbook/Finance.
    case alCheckbookOrFinance = 0x0191
    /// AL Calculator.
    case alCalculator = 0x0192
    /// AL A/V Capture/Playback.
    case alAVCaptureOrPlayback = 0x0193
    /// AL Local Machine Browser.
    case alLocalMachineBrowser = 0x0194
    /// AL LAN/WAN Browser.
    case alLANOrWANBrowser = 0x0195
    /// AL Internet Browser.
    case alInternetBrowser = 0x0196
    /// AL Remote Networking/ISP Connect.
    case alRemoteNetworkingOrISPConnect = 0x0197
    /// AL Network Conference.
    case alNetworkConference = 0x0198
    /// AL Network Chat.
    case alNetworkChat = 0x0199
    /// AL Telephony/Dialer.
    case alTelephonyOrDialer = 0x019a
    /// AL Logon.
    case alLogon = 0x019b
    /// AL Logoff.
    case alLogoff = 0x019c
    /// AL Logon/Logoff.
    case alLogonOrLogoff = 0x019d
    /// AL Terminal Lock/Screensaver.
    case alTerminalLockOrScreensaver = 0x019e
    /// AL Control Panel.
    case alControlPanel = 0x019f
    /// AL Command Line Processor/Run.
    case alCommandLineProcessorOrRun = 0x01a0
    /// AL Process/Task Manager.
    case alProcessOrTaskManager = 0x01a1
    /// AL Select Task/Application.
    case alSelectTaskOrApplication = 0x01a2
    /// AL Next Task/Application.
    case alNextTaskOrApplication = 0x01a3
    /// AL Previous Task/Application.
    case alPreviousTaskOrApplication = 0x01a4
    /// AL Preemptive Halt Task/Application.
    case alPreemptiveHaltTaskOrApplication = 0x01a5
    /// AL Integrated Help Center.
    case alIntegratedHelpCenter = 0x01a6
    /// AL Documents.
    case alDocuments = 0x01a7
    /// AL Thesaurus.
    case alThesaurus = 0x01a8
    /// AL Dictionary.
    case alDictionary = 0x01a9
    /// AL Desktop.
    case alDesktop = 0x01aa
    /// AL Spell Check.
    case alSpellCheck = 0x01ab
    /// AL Grammar Check.
    case alGrammarCheck = 0x01ac
    /// AL Wireless Status.
    case alWirelessStatus = 0x01ad
    /// AL Keyboard Layout.
    case alKeyboardLayout = 0x01ae
    /// AL Virus Protection.
    case alVirusProtection = 0x01af
    /// AL Encryption.
    case alEncryption = 0x01b0
    /// AL Screen Saver.
    case alScreenSaver = 0x01b1
    /// AL Alarms.
    case alAlarms = 0x01b2
    /// AL Clock.
    case alClock = 0x01b3
    /// AL File Browser.
    case alFileBrowser = 0x01b4
    /// AL Power Status.
    case alPowerStatus = 0x01b5
    /// AL Image Browser.
    case alImageBrowser = 0x01b6
    /// AL Audio Browser.
    case alAudioBrowser = 0x01b7
    /// AL Movie Browser.
    case alMovieBrowser = 0x01b8
    /// AL Digital Rights Manager.
    case alDigitalRightsManager = 0x01b9
    /// AL Digital Wallet.
    case alDigitalWallet = 0x01ba
    /// AL Instant Messaging.
    case alInstantMessaging = 0x01bc
    /// AL OEM Features/ Tips/Tutorial Browser.
    case alOEMFeaturesOrTipsOrTutorialBrowser = 0x01bd
    /// AL OEM Help.
    case alOEMHelp = 0x01be
    /// AL Online Community.
    case alOnlineCommunity = 0x01bf
    /// AL Entertainment Content Browser.
    case alEntertainmentContentBrowser = 0x01c0
    /// AL Online Shopping Browser.
    case alOnlineShoppingBrowser = 0x01c1
    /// AL SmartCard Information/Help.
    case alSmartCardInformationOrHelp = 0x01c2
    /// AL Market Monitor/Finance Browser.
    case alMarketMonitorOrFinanceBrowser = 0x01c3
    /// AL Customized Corporate News Browser.
    case alCustomizedCorporateNewsBrowser = 0x01c4
    /// AL Online Activity Browser.
    case alOnlineActivityBrowser = 0x01c5
    /// AL Research/Search Browser.
    case alResearchOrSearchBrowser = 0x01c6
    /// AL Audio Player.
    case alAudioPlayer = 0x01c7
    /// AL Message Status.
    case alMessageStatus = 0x01c8
    /// AL Contact Sync.
    case alContactSync = 0x01c9
    /// AL Navigation.
    case alNavigation = 0x01ca
    /// AL Context‐aware Desktop Assistant.
    case alContextAwareDesktopAssistant = 0x01cb
    /// Generic GUI Application Controls.
    case genericGUIApplicationControls = 0x0200
    /// AC New.
    case acNew = 0x0201
    /// AC Open.
    case acOpen = 0x0202
    /// AC Close.
    case acClose = 0x0203
    /// AC Exit.
    case acExit = 0x0204
    /// AC Maximize.
    case acMaximize = 0x0205
    /// AC Minimize.
    case acMinimize = 0x0206
    /// AC Save.
    case acSave = 0x0207
    /// AC Print.
    case acPrint = 0x0208
    /// AC Properties.
    case acProperties = 0x0209
    /// AC Undo.
    case acUndo = 0x021a
    /// AC Copy.
    case acCopy = 0x021b
    /// AC Cut.
    case acCut = 0x021c
    /// AC Paste.
    case acPaste = 0x021d
    /// AC Select All.
    case acSelectAll = 0x021e
    /// AC Find.
    case acFind = 0x021f
    /// AC Find and Replace.
    case acFindAndReplace = 0x0220
    /// AC Search.
    case acSearch = 0x0221
    /// AC Go To.
    case acGoTo = 0x0222
    /// AC Home.
    case acHome = 0x0223
    /// AC Back.
    case acBack = 0x0224
    /// AC Forward.
    case acForward = 0x0225
    /// AC Stop.
    case acStop = 0x0226
    /// AC Refresh.
    case acRefresh = 0x0227
    /// AC Previous Link.
    case acPreviousLink = 0x0228
    /// AC Next Link.
    case acNextLink = 0x0229
    /// AC Bookmarks.
    case acBookmarks = 0x022a
    /// AC History.
    case acHistory = 0x022b
    /// AC Subscriptions.
    case acSubscriptions = 0x022c
    /// AC Zoom In.
    case acZoomIn = 0x022d
    /// AC Zoom Out.
    case acZoomOut = 0x022e
    /// AC Zoom.
    case acZoom = 0x022f
    /// AC Full Screen View.
    case acFullScreenView = 0x0230
    /// AC Normal View.
    case acNormalView = 0x0231
    /// AC View Toggle.
    case acViewToggle = 0x0232
    /// AC Scroll Up.
    case acScrollUp = 0x0233
    /// AC Scroll Down.
    case acScrollDown = 0x0234
    /// AC Scroll.
    case acScroll = 0x0235
    /// AC Pan Left.
    case acPanLeft = 0x0236
    /// AC Pan Right.
    case acPanRight = 0x0237
    /// AC Pan.
    case acPan = 0x0238
    /// AC New Window.
    case acNewWindow = 0x0239
    /// AC Tile Horizontally.
    case acTileHorizontally = 0x023a
    /// AC Tile Vertically.
    case acTileVertically = 0x023b
    /// AC Format.
    case acFormat = 0x023c
    /// AC Edit.
    case acEdit = 0x023d
    /// AC Bold.
    case acBold = 0x023e
    /// AC Italics.
    case acItalics = 0x023f
    /// AC Underline.
    case acUnderline = 0x0240
    /// AC Strikethrough.
    case acStrikethrough = 0x0241
    /// AC Subscript.
    case acSubscript = 0x0242
    /// AC Superscript.
    case acSuperscript = 0x0243
    /// AC All Caps.
    case acAllCaps = 0x0244
    /// AC Rotate.
    case acRotate = 0x0245
    /// AC Resize.
    case acResize = 0x0246
    /// AC Flip Horizontal.
    case acFlipHorizontal = 0x0247
    /// AC Flip Vertical.
    case acFlipVertical = 0x0248
    /// AC Mirror Horizontal.
    case acMirrorHorizontal = 0x0249
    /// AC Mirror Vertical.
    case acMirrorVertical = 0x024a
    /// AC Font Select.
    case acFontSelect = 0x024b
    /// AC Font Color.
    case acFontColor = 0x024c
    /// AC Font Size.
    case acFontSize = 0x024d
    /// AC Justify Left.
    case acJustifyLeft = 0x024e
    /// AC Justify Center H.
    case acJustifyCenterH = 0x024f
    /// AC Justify Right.
    case acJustifyRight = 0x0250
    /// AC Justify Block H.
    case acJustifyBlockH = 0x0251
    /// AC Justify Top.
    case acJustifyTop = 0x0252
    /// AC Justify Center V.
    case acJustifyCenterV = 0x0253
    /// AC Justify Bottom.
    case acJustifyBottom = 0x0254
    /// AC Justify Block V.
    case acJustifyBlockV = 0x0255
    /// AC Indent Decrease.
    case acIndentDecrease = 0x0256
    /// AC Indent Increase.
    case acIndentIncrease = 0x0257
    /// AC Numbered List.
    case acNumberedList = 0x0258
    /// AC Restart Numbering.
    case acRestartNumbering = 0x0259
    /// AC Bulleted List.
    case acBulletedList = 0x025a
    /// AC Promote.
    case acPromote = 0x025b
    /// AC Demote.
    case acDemote = 0x025c
    /// AC Yes.
    case acYes = 0x025d
    /// AC No.
    case acNo = 0x025e
    /// AC Cancel.
    case acCancel = 0x025f
    /// AC Catalog.
    case acCatalog = 0x0260
    /// AC Buy/Checkout.
    case acBuyOrCheckout = 0x0261
    /// AC Add to Cart.
    case acAddToCart = 0x0262
    /// AC Expand.
    case acExpand = 0x0263
    /// AC Expand All.
    case acExpandAll = 0x0264
    /// AC Collapse.
    case acCollapse = 0x0265
    /// AC Collapse All.
    case acCollapseAll = 0x0266
    /// AC Print Preview.
    case acPrintPreview = 0x0267
    /// AC Paste Special.
    case acPasteSpecial = 0x0268
    /// AC Insert Mode.
    case acInsertMode = 0x0269
    /// AC Delete.
    case acDelete = 0x026a
    /// AC Lock.
    case acLock = 0x026b
    /// AC Unlock.
    case acUnlock = 0x026c
    /// AC Protect.
    case acProtect = 0x026d
    /// AC Unprotect.
    case acUnprotect = 0x026e
    /// AC Attach Comment.
    case acAttachComment = 0x026f
    /// AC Delete Comment.
    case acDeleteComment = 0x0270
    /// AC View Comment.
    case acViewComment = 0x0271
    /// AC Select Word.
    case acSelectWord = 0x0272
    /// AC Select Sentence.
    case acSelectSentence = 0x0273
    /// AC Select Paragraph.
    case acSelectParagraph = 0x0274
    /// AC Select Column.
    case acSelectColumn = 0x0275
    /// AC Select Row.
    case acSelectRow = 0x0276
    /// AC Select Table.
    case acSelectTable = 0x0277
    /// AC Select Object.
    case acSelectObject = 0x0278
    /// AC Redo/Repeat.
    case acRedoOrRepeat = 0x0279
    /// AC Sort.
    case acSort = 0x027a
    /// AC Sort Ascending.
    case acSortAscending = 0x027b
    /// AC Sort Descending.
    case acSortDescending = 0x027c
    /// AC Filter.
    case acFilter = 0x027d
    /// AC Set Clock.
    case acSetClock = 0x027e
    /// AC View Clock.
    case acViewClock = 0x027f
    /// AC Select Time Zone.
    case acSelectTimeZone = 0x0280
    /// AC Edit Time Zones.
    case acEditTimeZones = 0x0281
    /// AC Set Alarm.
    case acSetAlarm = 0x0282
    /// AC Clear Alarm.
    case acClearAlarm = 0x0283
    /// AC Snooze Alarm.
    case acSnoozeAlarm = 0x0284
    /// AC Reset Alarm.
    case acResetAlarm = 0x0285
    /// AC Synchronize.
    case acSynchronize = 0x0286
    /// AC Send/Receive.
    case acSendOrReceive = 0x0287
    /// AC Send To.
    case acSendTo = 0x0288
    /// AC Reply.
    case acReply = 0x0289
    /// AC Reply All.
    case acReplyAll = 0x028a
    /// AC Forward Msg.
    case acForwardMsg = 0x028b
    /// AC Send.
    case acSend = 0x028c
    /// AC Attach File.
    case acAttachFile = 0x028d
    /// AC Upload.
    case acUpload = 0x028e
    /// AC Download (Save Target As).
    case acDownloadSaveTargetAs = 0x028f
    /// AC Set Borders.
    case acSetBorders = 0x0290
    /// AC Insert Row.
    case acInsertRow = 0x0291
    /// AC Insert Column.
    case acInsertColumn = 0x0292
    /// AC Insert File.
    case acInsertFile = 0x0293
    /// AC Insert Picture.
    case acInsertPicture = 0x0294
    /// AC Insert Object.
    case acInsertObject = 0x0295
    /// AC Insert Symbol.
    case acInsertSymbol = 0x0296
    /// AC Save and Close.
    case acSaveAndClose = 0x0297
    /// AC Rename.
    case acRename = 0x0298
    /// AC Merge.
    case acMerge = 0x0299
    /// AC Split.
    case acSplit = 0x029a
    /// AC Disribute Horizontally.
    case acDisributeHorizontally = 0x029b
    /// AC Distribute Vertically.
    case acDistributeVertically = 0x029c
    /// AC Next Keyboard Layout Select.
    case acNextKeyboardLayoutSelect = 0x029d
    /// AC Navigation Guidance.
    case acNavigationGuidance = 0x029e
    /// AC Desktop Show All Windows.
    case acDesktopShowAllWindows = 0x029f
    /// AC Soft Key Left.
    case acSoftKeyLeft = 0x02a0
    /// AC Soft Key Right.
    case acSoftKeyRight = 0x02a1
    /// AC Desktop Show All Applications.
    case acDesktopShowAllApplications = 0x02a2
    /// AC Idle Keep Alive.
    case acIdleKeepAlive = 0x02b0
    /// Extended Keyboard Attributes Collection.
    case extendedKeyboardAttributesCollection = 0x02c0
    /// Keyboard Form Factor.
    case keyboardFormFactor = 0x02c1
    /// Keyboard Key Type.
    case keyboardKeyType = 0x02c2
    /// Keyboard Physical Layout.
    case keyboardPhysicalLayout = 0x02c3
    /// Vendor‐Specific Keyboard Physical Layout.
    case vendorSpecificKeyboardPhysicalLayout = 0x02c4
    /// Keyboard IETF Language Tag Index.
    case keyboardIETFLanguageTagIndex = 0x02c5
    /// Implemented Keyboard Input Assist Controls.
    case implementedKeyboardInputAssistControls = 0x02c6
    /// Keyboard Input Assist Previous.
    case keyboardInputAssistPrevious = 0x02c7
    /// Keyboard Input Assist Next.
    case keyboardInputAssistNext = 0x02c8
    /// Keyboard Input Assist Previous Group.
    case keyboardInputAssistPreviousGroup = 0x02c9
    /// Keyboard Input Assist Next Group.
    case keyboardInputAssistNextGroup = 0x02ca
    /// Keyboard Input Assist Accept.
    case keyboardInputAssistAccept = 0x02cb
    /// Keyboard Input Assist Cancel.
    case keyboardInputAssistCancel = 0x02cc
    /// Privacy Screen Toggle.
    case privacyScreenToggle = 0x02d0
    /// Privacy Screen Level Decrement.
    case privacyScreenLevelDecrement = 0x02d1
    /// Privacy Screen Level Increment.
    case privacyScreenLevelIncrement = 0x02d2
    /// Privacy Screen Level Minimum.
    case privacyScreenLevelMinimum = 0x02d3
    /// Privacy Screen Level Maximum.
    case privacyScreenLevelMaximum = 0x02d4
    /// Contact Edited.
    case contactEdited = 0x0500
    /// Contact Added.
    case contactAdded = 0x0501
    /// Contact Record Active.
    case contactRecordActive = 0x0502
    /// Contact Index.
    case contactIndex = 0x0503
    /// Contact Nickname.
    case contactNickname = 0x0504
    /// Contact First Name.
    case contactFirstName = 0x0505
    /// Contact Last Name.
    case contactLastName = 0x0506
    /// Contact Full Name.
    case contactFullName = 0x0507
    /// Contact Phone Number Personal.
    case contactPhoneNumberPersonal = 0x0508
    /// Contact Phone Number Business.
    case contactPhoneNumberBusiness = 0x0509
    /// Contact Phone Number Mobile.
    case contactPhoneNumberMobile = 0x050a
    /// Contact Phone Number Pager.
    case contactPhoneNumberPager = 0x050b
    /// Contact Phone Number Fax.
    case contactPhoneNumberFax = 0x050c
    /// Contact Phone Number Other.
    case contactPhoneNumberOther = 0x050d
    /// Contact Email Personal.
    case contactEmailPersonal = 0x050e
    /// Contact Email Business.
    case contactEmailBusiness = 0x050f
    /// Contact Email Other.
    case contactEmailOther = 0x0510
    /// Contact Email Main.
    case contactEmailMain = 0x0511
    /// Contact Speed Dial Number.
    case contactSpeedDialNumber = 0x0512
    /// Contact Status Flag.
    case contactStatusFlag = 0x0513
    /// Contact Misc..
    case contactMiscellaneous = 0x0514
  }

  /// Page 0x000d, `digitizers`.
  public enum DigitizersUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x000d
    /// Digitizer.
    case digitizer = 0x0001
    /// Pen.
    case pen = 0x0002
    /// Light Pen.
    case lightPen = 0x0003
    /// Touch Screen.
    case touchScreen = 0x0004
    /// Touch Pad.
    case touchPad = 0x0005
    /// Whiteboard.
    case whiteboard = 0x0006
    /// Coordinate Measuring Machine.
    case coordinateMeasuringMachine = 0x0007
    /// 3D Digitizer.
    case digitizer3D = 0x0008
    /// Stereo Plotter.
    case stereoPlotter = 0x0009
    /// Articulated Arm.
    case articulatedArm = 0x000a
    /// Armature.
    case armature = 0x000b
    /// Multiple Point Digitizer.
    case multiplePointDigitizer = 0x000c
    /// Free Space Wand.
    case freeSpaceWand = 0x000d
    /// Device Configuration.
    case deviceConfiguration = 0x000e
    /// Capacitive Heat Map Digitizer.
    case capacitiveHeatMapDigitizer = 0x000f
    /// Stylus.
    case stylus = 0x0020
    /// Puck.
    case puck = 0x0021
    /// Finger.
    case finger = 0x0022
    /// Device settings.
    case deviceSettings = 0x0023
    /// Character Gesture.
    case characterGesture = 0x0024
    /// Tip Pressure.
    case tipPressure = 0x0030
    /// Barrel Pressure.
    case barrelPressure = 0x0031
    /// In Range.
    case inRange = 0x0032
    /// Touch.
    case touch = 0x0033
    /// Untouch.
    case untouch = 0x0034
    /// Tap.
    case tap = 0x0035
    /// Quality.
    case quality = 0x0036
    /// Data Valid.
    case dataValid = 0x0037
    /// Transducer Index.
    case transducerIndex = 0x0038
    /// Tablet Function Keys.
    case tabletFunctionKeys = 0x0039
    /// Program Change Keys.
    case programChangeKeys = 0x003a
    /// Battery Strength.
    case batteryStrength = 0x003b
    /// Invert.
    case invert = 0x003c
    /// X Tilt.
    case xTilt = 0x003d
    /// Y Tilt.
    case yTilt = 0x003e
    /// Azimuth.
    case azimuth = 0x003f
    /// Altitude.
    case altitude = 0x0040
    /// Twist.
    case twist = 0x0041
    /// Tip Switch.
    case tipSwitch = 0x0042
    /// Secondary Tip Switch.
    case secondaryTipSwitch = 0x0043
    /// Barrel Switch.
    case barrelSwitch = 0x0044
    /// Eraser.
    case eraser = 0x0045
    /// Tablet Pick.
    case tabletPick = 0x0046
    /// Touch Valid.
    case touchValid = 0x0047
    /// Width.
    case width = 0x0048
    /// Height.
    case height = 0x0049
    /// Contact Identifier.
    case contactIdentifier = 0x0051
    /// Device Mode.
    case deviceMode = 0x0052
    /// Device Identifier.
    case deviceIdentifier = 0x0053
    /// Contact Count.
    case contactCount = 0x0054
    /// Contact Count Maximum.
    case contactCountMaximum = 0x0055
    /// Scan Time.
    case scanTime = 0x0056
    /// Surface Switch.
    case surfaceSwitch = 0x0057
    /// Button Switch.
    case buttonSwitch = 0x0058
    /// Pad Type.
    case padType = 0x0059
    /// Secondary Barrel Switch.
    case secondaryBarrelSwitch = 0x005a
    /// Transducer Serial Number.
    case transducerSerialNumber = 0x005b
    /// Preferred Color.
    case preferredColor = 0x005c
    /// Preferred Color is Locked.
    case preferredColorIsLocked = 0x005d
    /// Preferred Line Width.
    case preferredLineWidth = 0x005e
    /// Preferred Line Width is Locked.
    case preferredLineWidthIsLocked = 0x005f
    /// Latency Mode.
    case latencyMode = 0x0060
    /// Gesture Character Quality.
    case gestureCharacterQuality = 0x0061
    /// Character Gesture Data Length.
    case characterGestureDataLength = 0x0062
    /// Character Gesture Data.
    case characterGestureData = 0x0063
    /// Gesture Character Encoding.
    case gestureCharacterEncoding = 0x0064
    /// UTF8 Character Gesture Encoding.
    case utf8CharacterGestureEncoding = 0x0065
    /// UTF16 Little Endian Character Gesture Encoding.
    case utf16LittleEndianCharacterGestureEncoding = 0x0066
    /// UTF16 Big Endian Character Gesture Encoding.
    case utf16BigEndianCharacterGestureEncoding = 0x0067
    /// UTF32 Little Endian Character Gesture Encoding.
    case utf32LittleEndianCharacterGestureEncoding = 0x0068
    /// UTF32 Big Endian Character Gesture Encoding.
    case utf32BigEndianCharacterGestureEncoding = 0x0069
    /// Capacitive Heat Map Protocol Vendor ID.
    case capacitiveHeatMapProtocolVendorID = 0x006a
    /// Capacitive Heat Map Protocol Version.
    case capacitiveHeatMapProtocolVersion = 0x006b
    /// Capacitive Heat Map Frame Data.
    case capacitiveHeatMapFrameData = 0x006c
    /// Gesture Character Enable.
    case gestureCharacterEnable = 0x006d
    /// Transducer Serial Number Part 2.
    case transducerSerialNumberPart2 = 0x006e
    /// No Preferred Color.
    case noPreferredColor = 0x006f
    /// Preferred Line Style.
    case preferredLineStyle = 0x0070
    /// Preferred Line Style is Locked.
    case preferredLineStyleIsLocked = 0x0071
    /// Ink.
    case ink = 0x0072
    /// Pencil.
    case pencil = 0x0073
    /// Highlighter.
    case highlighter = 0x0074
    /// Chisel Marker.
    case chiselMarker = 0x0075
    /// Brush.
    case brush = 0x0076
    /// No Preference.
    case noPreference = 0x0077
    /// Digitizer Diagnostic.
    case digitizerDiagnostic = 0x0080
    /// Digitizer Error.
    case digitizerError = 0x0081
    /// Err Normal Status.
    case errorNormalStatus = 0x0082
    /// Err Transducers Exceeded.
    case errorTransducersExceeded = 0x0083
    /// Err Full Trans Features Unavailable.
    case errorFullTransFeaturesUnavailable = 0x0084
    /// Err Charge Low.
    case errorChargeLow = 0x0085
    /// Transducer Software Info.
    case transducerSoftwareInfo = 0x0090
    /// Transducer Vendor Id.
    case transducerVendorId = 0x0091
    /// Transducer Product Id.
    case transducerProductId = 0x0092
    /// Device Supported Protocols.
    case deviceSupportedProtocols = 0x0093
    /// Transducer Supported Protocols.
    case transducerSupportedProtocols = 0x0094
    /// No Protocol.
    case noProtocol = 0x0095
    /// Wacom AES Protocol.
    case wacomAESProtocol = 0x0096
    /// USI Protocol.
    case usiProtocol = 0x0097
    /// Microsoft Pen Protocol.
    case microsoftPenProtocol = 0x0098
    /// Supported Report Rates.
    case supportedReportRates = 0x00a0
    /// Report Rate.
    case reportRate = 0x00a1
    /// Transducer Connected.
    case transducerConnected = 0x00a2
    /// Switch Disabled.
    case switchDisabled = 0x00a3
    /// Switch Unimplemented.
    case switchUnimplemented = 0x00a4
    /// Transducer Switches.
    case transducerSwitches = 0x00a5
    /// Transducer Index Selector.
    case transducerIndexSelector = 0x00a6
    /// Button Press Threshold.
    case buttonPressThreshold = 0x00b0
  }

  /// Page 0x000e, `haptics`.
  public enum HapticsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x000e
    /// Simple Haptic Controller.
    case simpleHapticController = 0x0001
    /// Waveform List.
    case waveformList = 0x0010
    /// Duration List.
    case durationList = 0x0011
    /// Auto Trigger.
    case autoTrigger = 0x0020
    /// Manual Trigger.
    case manualTrigger = 0x0021
    /// Auto Trigger Associated Control.
    case autoTriggerAssociatedControl = 0x0022
    /// Intensity.
    case intensity = 0x0023
    /// Repeat Count.
    case repeatCount = 0x0024
    /// Retrigger Period.
    case retriggerPeriod = 0x0025
    /// Waveform Vendor Page.
    case waveformVendorPage = 0x0026
    /// Waveform Vendor ID.
    case waveformVendorID = 0x0027
    /// Waveform Cutoff Time.
    case waveformCutoffTime = 0x0028
    /// Waveform None.
    case waveformNone = 0x1001
    /// Waveform Stop.
    case waveformStop = 0x1002
    /// Waveform Click.
    case waveformClick = 0x1003
    /// Waveform Buzz Continuous.
    case waveformBuzzContinuous = 0x1004
    /// Waveform Rumble Continuous.
    case waveformRumbleContinuous = 0x1005
    /// Waveform Press.
    case waveformPress = 0x1006
    /// Waveform Release.
    case waveformRelease = 0x1007
    /// Waveform Hover.
    case waveformHover = 0x1008
    /// Waveform Success.
    case waveformSuccess = 0x1009
    /// Waveform Error.
    case waveformError = 0x100a
    /// Waveform Ink Continuous.
    case waveformInkContinuous = 0x100b
    /// Waveform Pencil Continuous.
    case waveformPencilContinuous = 0x100c
    /// Waveform Marker Continuous.
    case waveformMarkerContinuous = 0x100d
    /// Waveform Chisel Marker Continuous.
    case waveformChiselMarkerContinuous = 0x100e
    /// Waveform Brush Continuous.
    case waveformBrushContinuous = 0x100f
    /// Waveform Eraser Continuous.
    case waveformEraserContinuous = 0x1010
    /// Waveform Sparkle Continuous.
    case waveformSparkleContinuous = 0x1011
  }

  /// Page 0x000f, `physicalInputDevice`.
  public enum PhysicalInputDeviceUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x000f
    /// Physical Input Device.
    case physicalInputDevice = 0x0001
    /// Normal.
    case normal = 0x0020
    /// Set Effect Report.
    case setEffectReport = 0x0021
    /// Effect Parameter Block Index.
    case effectParameterBlockIndex = 0x0022
    /// Parameter Block Offset.
    case parameterBlockOffset = 0x0023
    /// ROM Flag.
    case romFlag = 0x0024
    /// Effect Type.
    case effectType = 0x0025
    /// ET Constant-Force.
    case etConstantForce = 0x0026
    /// ET Ramp.
    case etRamp = 0x0027
    /// ET Custom-Force.
    case etCustomForce = 0x0028
    /// ET Square.
    case etSquare = 0x0030
    /// ET Sine.
    case etSine = 0x0031
    /// ET Triangle.
    case etTriangle = 0x0032
    /// ET Sawtooth Up.
    case etSawtoothUp = 0x0033
    /// ET Sawtooth Down.
    case etSawtoothDown = 0x0034
    /// ET Spring.
    case etSpring = 0x0040
    /// ET Damper.
    case etDamper = 0x0041
    /// ET Inertia.
    case etInertia = 0x0042
    /// ET Friction.
    case etFriction = 0x0043
    /// Duration.
    case duration = 0x0050
    /// Sample Period.
    case samplePeriod = 0x0051
    /// Gain.
    case gain = 0x0052
    /// Trigger Button.
    case triggerButton = 0x0053
    /// Trigger Repeat Interval.
    case triggerRepeatInterval = 0x0054
    /// Axes Enable.
    case axesEnable = 0x0055
    /// Direction Enable.
    case directionEnable = 0x0056
    /// Direction.
    case direction = 0x0057
    /// Type Specific Block Offset.
    case typeSpecificBlockOffset = 0x0058
    /// Block Type.
    case blockType = 0x0059
    /// Set Envelope Report.
    case setEnvelopeReport = 0x005a
    /// Attack Level.
    case attackLevel = 0x005b
    /// Attack Time.
    case attackTime = 0x005c
    /// Fade Level.
    case fadeLevel = 0x005d
    /// Fade Time.
    case fadeTime = 0x005e
    /// Set Condition Report.
    case setConditionReport = 0x005f
    /// Center-Point Offset.
    case centerPointOffset = 0x0060
    /// Positive Coefficient.
    case positiveCoefficient = 0x0061
    /// Negative Coefficient.
    case negativeCoefficient = 0x0062
    /// Positive Saturation.
    case positiveSaturation = 0x0063
    /// Negative Saturation.
    case negativeSaturation = 0x0064
    /// Dead Band.
    case deadBand = 0x0065
    /// Download Force Sample.
    case downloadForceSample = 0x0066
    /// Isoch Custom-Force Enable.
    case isochCustomForceEnable = 0x0067
    /// Custom-Force Data Report.
    case customForceDataReport = 0x0068
    /// Custom-Force Data.
    case customForceData = 0x0069
    /// Custom-Force Vendor Defined Data.
    case customForceVendorDefinedData = 0x006a
    /// Set Custom-Force Report.
    case setCustomForceReport = 0x006b
    /// Custom-Force Data Offset.
    case customForceDataOffset = 0x006c
    /// Sample Count.
    case sampleCount = 0x006d
    /// Set Periodic Report.
    case setPeriodicReport = 0x006e
    /// Offset.
    case offset = 0x006f
    /// Magnitude.
    case magnitude = 0x0070
    /// Phase.
    case phase = 0x0071
    /// Period.
    case period = 0x0072
    /// Set Constant-Force Report.
    case setConstantForceReport = 0x0073
    /// Set Ramp-Force Report.
    case setRampForceReport = 0x0074
    /// Ramp Start.
    case rampStart = 0x0075
    /// Ramp End.
    case rampEnd = 0x0076
    /// Effect Operation Report.
    case effectOperationReport = 0x0077
    /// Effect Operation.
    case effectOperation = 0x0078
    /// Op Effect Start.
    case opEffectStart = 0x0079
    /// Op Effect Start Solo.
    case opEffectStartSolo = 0x007a
    /// Op Effect Stop.
    case opEffectStop = 0x007b
    /// Loop Count.
    case loopCount = 0x007c
    /// Device Gain Report.
    case deviceGainReport = 0x007d
    /// Device Gain.
    case deviceGain = 0x007e
    /// Parameter Block Pools Report.
    case parameterBlockPoolsReport = 0x007f
    /// RAM Pool Size.
    case ramPoolSize = 0x0080
    /// ROM Pool Size.
    case romPoolSize = 0x0081
    /// ROM Effect Block Count.
    case romEffectBlockCount = 0x0082
    /// Simultaneous Effects Max.
    case simultaneousEffectsMax = 0x0083
    /// Pool Alignment.
    case poolAlignment = 0x0084
    /// Parameter Block Move Report.
    case parameterBlockMoveReport = 0x0085
    /// Move Source.
    case moveSource = 0x0086
    /// Move Destination.
    case moveDestination = 0x0087
    /// Move Length.
    case moveLength = 0x0088
    /// Effect Parameter Block Load Report.
    case effectParameterBlockLoadReport = 0x0089
    /// Effect Parameter Block Load Status.
    case effectParameterBlockLoadStatus = 0x008b
    /// Block Load Success.
    case blockLoadSuccess = 0x008c
    /// Block Load Full.
    case blockLoadFull = 0x008d
    /// Block Load Error.
    case blockLoadError = 0x008e
    /// Block Handle.
    case blockHandle = 0x008f
    /// Effect Parameter Block Free Report.
    case effectParameterBlockFreeReport = 0x0090
    /// Type Specific Block Handle.
    case typeSpecificBlockHandle = 0x0091
    /// PID State Report.
    case pidStateReport = 0x0092
    /// Effect Playing.
    case effectPlaying = 0x0094
    /// PID Device Control Report.
    case pidDeviceControlReport = 0x0095
    /// PID Device Control.
    case pidDeviceControl = 0x0096
    /// DC Enable Actuators.
    case dcEnableActuators = 0x0097
    /// DC Disable Actuators.
    case dcDisableActuators = 0x0098
    /// DC Stop All Effects.
    case dcStopAllEffects = 0x0099
    /// DC Reset.
    case dcReset = 0x009a
    /// DC Pause.
    case dcPause = 0x009b
    /// DC Continue.
    case dcContinue = 0x009c
    /// Device Paused.
    case devicePaused = 0x009f
    /// Actuators Enabled.
    case actuatorsEnabled = 0x00a0
    /// Safety Switch.
    case safetySwitch = 0x00a4
    /// Actuator Override Switch.
    case actuatorOverrideSwitch = 0x00a5
    /// Actuator Power.
    case actuatorPower = 0x00a6
    /// Start Delay.
    case startDelay = 0x00a7
    /// Parameter Block Size.
    case parameterBlockSize = 0x00a8
    /// Device-Managed Pool.
    case deviceManagedPool = 0x00a9
    /// Shared Parameter Blocks.
    case sharedParameterBlocks = 0x00aa
    /// Create New Effect Parameter Block Report.
    case createNewEffectParameterBlockReport = 0x00ab
    /// RAM Pool Available.
    case ramPoolAvailable = 0x00ac
  }

  /// Page 0x0011, `soc`.
  public enum SOCUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0011
    /// SocControl.
    case socControl = 0x0001
    /// FirmwareTransfer.
    case firmwareTransfer = 0x0002
    /// FirmwareFileId.
    case firmwareFileId = 0x0003
    /// FileOffsetInBytes.
    case fileOffsetInBytes = 0x0004
    /// FileTransferSizeMaxInBytes.
    case fileTransferSizeMaxInBytes = 0x0005
    /// FilePayload.
    case filePayload = 0x0006
    /// FilePayloadSizeInBytes.
    case filePayloadSizeInBytes = 0x0007
    /// FilePayloadContainsLastBytes.
    case filePayloadContainsLastBytes = 0x0008
    /// FileTransferStop.
    case fileTransferStop = 0x0009
    /// FileTransferTillEnd.
    case fileTransferTillEnd = 0x000a
  }

  /// Page 0x0012, `eyeAndHeadTrackers`.
  public enum EyeAndHeadTrackersUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0012
    /// Eye Tracker.
    case eyeTracker = 0x0001
    /// Head Tracker.
    case headTracker = 0x0002
    /// Tracking Data.
    case trackingData = 0x0010
    /// Capabilities.
    case capabilities = 0x0011
    /// Configuration.
    case configuration = 0x0012
    /// Status.
    case status = 0x0013
    /// Control.
    case control = 0x0014
    /// Sensor Timestamp.
    case sensorTimestamp = 0x0020
    /// Position X.
    case positionX = 0x0021
    /// Position Y.
    case positionY = 0x0022
    /// Position Z.
    case positionZ = 0x0023
    /// Gaze Point.
    case gazePoint = 0x0024
    /// Left Eye Position.
    case leftEyePosition = 0x0025
    /// Right Eye Position.
    case rightEyePosition = 0x0026
    /// Head Position.
    case headPosition = 0x0027
    /// Head Direction Point.
    case headDirectionPoint = 0x0028
    /// Rotation about X axis.
    case rotationAboutXAxis = 0x0029
    /// Rotation about Y axis.
    case rotationAboutYAxis = 0x002a
    /// Rotation about Z axis.
    case rotationAboutZAxis = 0x002b
    /// Tracker Quality.
    case trackerQuality = 0x0100
    /// Minimum Tracking Distance.
    case minimumTrackingDistance = 0x0101
    /// Optimum Tracking Distance.
    case optimumTrackingDistance = 0x0102
    /// Maximum Tracking Distance.
    case maximumTrackingDistance = 0x0103
    /// Maximum Screen Plane Width.
    case maximumScreenPlaneWidth = 0x0104
    /// Maximum Screen Plane Height.
    case maximumScreenPlaneHeight = 0x0105
    /// Display Manufacturer ID.
    case displayManufacturerID = 0x0200
    /// Display Product ID.
    case displayProductID = 0x0201
    /// Display Serial Number.
    case displaySerialNumber = 0x0202
    /// Display Manufacturer Date.
    case displayManufacturerDate = 0x0203
    /// Calibrated Screen Width.
    case calibratedScreenWidth = 0x0204
    /// Calibrated Screen Height.
    case calibratedScreenHeight = 0x0205
    /// Sampling Frequency.
    case samplingFrequency = 0x0300
    /// Configuration Status.
    case configurationStatus = 0x0301
    /// Device Mode Request.
    case deviceModeRequest = 0x0400
  }

  /// Page 0x0014, `auxiliaryDisplay`.
  public enum AuxiliaryDisplayUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0014
    /// Alphanumeric Display.
    case alphanumericDisplay = 0x0001
    /// Auxiliary Display.
    case auxiliaryDisplay = 0x0002
    /// Display Attributes Report.
    case displayAttributesReport = 0x0020
    /// ASCII Character Set.
    case asciiCharacterSet = 0x0021
    /// Data Read Back.
    case dataReadBack = 0x0022
    /// Font Read Back.
    case fontReadBack = 0x0023
    /// Display Control Report.
    case displayControlReport = 0x0024
    /// Clear Display.
    case clearDisplay = 0x0025
    /// Display Enable.
    case displayEnable = 0x0026
    /// Screen Saver Delay.
    case screenSaverDelay = 0x0027
    /// Screen Saver Enable.
    case screenSaverEnable = 0x0028
    /// Vertical Scroll.
    case verticalScroll = 0x0029
    /// Horizontal Scroll.
    case horizontalScroll = 0x002a
    /// Character Report.
    case characterReport = 0x002b
    /// Display Data.
    case displayData = 0x002c
    /// Display Status.
    case displayStatus = 0x002d
    /// Stat Not Ready.
    case statNotReady = 0x002e
    /// Stat Ready.
    case statReady = 0x002f
    /// Err Not a loadable character.
    case errorNotALoadableCharacter = 0x0030
    /// Err Font data cannot be read.
    case errorFontDataCannotBeRead = 0x0031
    /// Cursor Position Report.
    case cursorPositionReport = 0x0032
    /// Row.
    case row = 0x0033
    /// Column.
    case column = 0x0034
    /// Rows.
    case rows = 0x0035
    /// Columns.
    case columns = 0x0036
    /// Cursor Pixel Positioning.
    case cursorPixelPositioning = 0x0037
    /// Cursor Mode.
    case cursorMode = 0x0038
    /// Cursor Enable.
    case cursorEnable = 0x0039
    /// Cursor Blink.
    case cursorBlink = 0x003a
    /// Font Report.
    case fontReport = 0x003b
    /// Font Data.
    case fontData = 0x003c
    /// Character Width.
    case characterWidth = 0x003d
    /// Character Height.
    case characterHeight = 0x003e
    /// Character Spacing Horizontal.
    case characterSpacingHorizontal = 0x003f
    /// Character Spacing Vertical.
    case characterSpacingVertical = 0x0040
    /// Unicode Character Set.
    case unicodeCharacterSet = 0x0041
    /// Font 7-Segment.
    case font7Segment = 0x0042
    /// 7-Segment Direct Map.
    case sevenSegmentDirectMap = 0x0043
    /// Font 14-Segment.
    case font14Segment = 0x0044
    /// 14-Segment Direct Map.
    case fourteenSegmentDirectMap = 0x0045
    /// Display Brightness.
    case displayBrightness = 0x0046
    /// Display Contrast.
    case displayContrast = 0x0047
    /// Character Attribute.
    case characterAttribute = 0x0048
    /// Attribute Readback.
    case attributeReadback = 0x0049
    /// Attribute Data.
    case attributeData = 0x004a
    /// Char Attr Enhance.
    case charAttrEnhance = 0x004b
    /// Char Attr Underline.
    case charAttrUnderline = 0x004c
    /// Char Attr Blink.
    case charAttrBlink = 0x004d
    /// Bitmap Size X.
    case bitmapSizeX = 0x0080
    /// Bitmap Size Y.
    case bitmapSizeY = 0x0081
    /// Max Blit Size.
    case maxBlitSize = 0x0082
    /// Bit Depth Format.
    case bitDepthFormat = 0x0083
    /// Display Orientation.
    case displayOrientation = 0x0084
    /// Palette Report.
    case paletteReport = 0x0085
    /// Palette Data Size.
    case paletteDataSize = 0x0086
    /// Palette Data Offset.
    case paletteDataOffset = 0x0087
    /// Palette Data.
    case paletteData = 0x0088
    /// Blit Report.
    case blitReport = 0x008a
    /// Blit Rectangle X1.
    case blitRectangleX1 = 0x008b
    /// Blit Rectangle Y1.
    case blitRectangleY1 = 0x008c
    /// Blit Rectangle X2.
    case blitRectangleX2 = 0x008d
    /// Blit Rectangle Y2.
    case blitRectangleY2 = 0x008e
    /// Blit Data.
    case blitData = 0x008f
    /// Soft Button.
    case softButton = 0x0090
    /// Soft Button ID.
    case softButtonID = 0x0091
    /// Soft Button Side.
    case softButtonSide = 0x0092
    /// Soft Button Offset 1.
    case softButtonOffset1 = 0x0093
    /// Soft Button Offset 2.
    case softButtonOffset2 = 0x0094
    /// Soft Button Report.
    case softButtonReport = 0x0095
    /// Soft Keys.
    case softKeys = 0x00c2
    /// Display Data Extensions.
    case displayDataExtensions = 0x00cc
    /// Character Mapping.
    case characterMapping = 0x00cf
    /// Unicode Equivalent.
    case unicodeEquivalent = 0x00dd
    /// Character Page Mapping.
    case characterPageMapping = 0x00df
    /// Request Report.
    case requestReport = 0x00ff
  }

  /// Page 0x0020, `sensors`.
  public enum SensorsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0020
    /// Sensor.
    case sensor = 0x0001
    /// Biometric.
    case biometric = 0x0010
    /// Biometric: Human Presence.
    case biometricHumanPresence = 0x0011
    /// Biometric: Human Proximity.
    case biometricHumanProximity = 0x0012
    /// Biometric: Human Touch.
    case biometricHumanTouch = 0x0013
    /// Biometric: Blood Pressure.
    case biometricBloodPressure = 0x0014
    /// Biometric: Body Temperature.
    case biometricBodyTemperature = 0x0015
    /// Biometric: Heart Rate.
    case biometricHeartRate = 0x0016
    /// Biometric: Heart Rate Variability.
    case biometricHeartRateVariability = 0x0017
    /// Biometric: Peripheral Oxygen Saturation.
    case biometricPeripheralOxygenSaturation = 0x0018
    /// Biometric: Respiratory Rate.
    case biometricRespiratoryRate = 0x0019
    /// Electrical.
    case electrical = 0x0020
    /// Electrical: Capacitance.
    case electricalCapacitance = 0x0021
    /// Electrical: Current.
    case electricalCurrent = 0x0022
    /// Electrical: Power.
    case electricalPower = 0x0023
    /// Electrical: Inductance.
    case electricalInductance = 0x0024
    /// Electrical: Resistance.
    case electricalResistance = 0x0025
    /// Electrical: Voltage.
    case electricalVoltage = 0x0026
    /// Electrical: Potentiometer.
    case electricalPotentiometer = 0x0027
    /// Electrical: Frequency.
    case electricalFrequency = 0x0028
    /// Electrical: Period.
    case electricalPeriod = 0x0029
    /// Environmental.
    case environmental = 0x0030
    /// Environmental: Atmospheric Pressure.
    case environmentalAtmosphericPressure = 0x0031
    /// Environmental: Humidity.
    case environmentalHumidity = 0x0032
    /// Environmental: Temperature.
    case environmentalTemperature = 0x0033
    /// Environmental: Wind Direction.
    case environmentalWindDirection = 0x0034
    /// Environmental: Wind Speed.
    case environmentalWindSpeed = 0x0035
    /// Environmental: Air Quality.
    case environmentalAirQuality = 0x0036
    /// Environmental: Heat Index.
    case environmentalHeatIndex = 0x0037
    /// Environmental: Surface Temperature.
    case environmentalSurfaceTemperature = 0x0038
    /// Environmental: Volatile Organic Compounds.
    case environmentalVolatileOrganicCompounds = 0x0039
    /// Environmental: Object Presence.
    case environmentalObjectPresence = 0x003a
    /// Environmental: Object Proximity.
    case environmentalObjectProximity = 0x003b
    /// Light.
    case light = 0x0040
    /// Light: Ambient Light.
    case lightAmbientLight = 0x0041
    /// Light: Consumer Infrared.
    case lightConsumerInfrared = 0x0042
    /// Light: Infrared Light.
    case lightInfraredLight = 0x0043
    /// Light: Visible Light.
    case lightVisibleLight = 0x0044
    /// Light: Ultraviolet Light.
    case lightUltravioletLight = 0x0045
    /// Location.
    case location = 0x0050
    /// Location: Broadcast.
    case locationBroadcast = 0x0051
    /// Location: Dead Reckoning.
    case locationDeadReckoning = 0x0052
    /// Location: GPS (Global Positioning System).
    case locationGPSGlobalPositioningSystem = 0x0053
    /// Location: Lookup.
    case locationLookup = 0x0054
    /// Location: Other.
    case locationOther = 0x0055
    /// Location: Static.
    case locationStatic = 0x0056
    /// Location: Triangulation.
    case locationTriangulation = 0x0057
    /// Mechanical.
    case mechanical = 0x0060
    /// Mechanical: Boolean Switch.
    case mechanicalBooleanSwitch = 0x0061
    /// Mechanical: Boolean Switch Array.
    case mechanicalBooleanSwitchArray = 0x0062
    /// Mechanical: Multivalue Switch.
    case mechanicalMultivalueSwitch = 0x0063
    /// Mechanical: Force.
    case mechanicalForce = 0x0064
    /// Mechanical: Pressure.
    case mechanicalPressure = 0x0065
    /// Mechanical: Strain.
    case mechanicalStrain = 0x0066
    /// Mechanical: Weight.
    case mechanicalWeight = 0x0067
    /// Mechanical: Haptic Vibrator.
    case mechanicalHapticVibrator = 0x0068
    /// Mechanical: Hall Effect Switch.
    case mechanicalHallEffectSwitch = 0x0069
    /// Motion.
    case motion = 0x0070
    /// Motion: Accelerometer 1D.
    case motionAccelerometer1D = 0x0071
    /// Motion: Accelerometer 2D.
    case motionAccelerometer2D = 0x0072
    /// Motion: Accelerometer 3D.
    case motionAccelerometer3D = 0x0073
    /// Motion: Gyrometer 1D.
    case motionGyrometer1D = 0x0074
    /// Motion: Gyrometer 2D.
    case motionGyrometer2D = 0x0075
    /// Motion: Gyrometer 3D.
    case motionGyrometer3D = 0x0076
    /// Motion: Motion Detector.
    case motionMotionDetector = 0x0077
    /// Motion: Speedometer.
    case motionSpeedometer = 0x0078
    /// Motion: Accelerometer.
    case motionAccelerometer = 0x0079
    /// Motion: Gyrometer.
    case motionGyrometer = 0x007a
    /// Motion: Gravity Vector.
    case motionGravityVector = 0x007b
    /// Motion: Linear Accelerometer.
    case motionLinearAccelerometer = 0x007c
    /// Orientation.
    case orientation = 0x0080
    /// Orientation: Compass 1D.
    case orientationCompass1D = 0x0081
    /// Orientation: Compass 2D.
    case orientationCompass2D = 0x0082
    /// Orientation: Compass 3D.
    case orientationCompass3D = 0x0083
    /// Orientation: Inclinometer 1D.
    case orientationInclinometer1D = 0x0084
    /// Orientation: Inclinometer 2D.
    case orientationInclinometer2D = 0x0085
    /// Orientation: Inclinometer 3D.
    case orientationInclinometer3D = 0x0086
    /// Orientation: Distance 1D.
    case orientationDistance1D = 0x0087
    /// Orientation: Distance 2D.
    case orientationDistance2D = 0x0088
    /// Orientation: Distance 3D.
    case orientationDistance3D = 0x0089
    /// Orientation: Device Orientation.
    case orientationDeviceOrientation = 0x008a
    /// Orientation: Compass.
    case orientationCompass = 0x008b
    /// Orientation: Inclinometer.
    case orientationInclinometer = 0x008c
    /// Orientation: Distance.
    case orientationDistance = 0x008d
    /// Orientation: Relative Orientation.
    case orientationRelativeOrientation = 0x008e
    /// Orientation: Simple Orientation.
    case orientationSimpleOrientation = 0x008f
    /// Scanner.
    case scanner = 0x0090
    /// Scanner: Barcode.
    case scannerBarcode = 0x0091
    /// Scanner: RFID.
    case scannerRFID = 0x0092
    /// Scanner: NFC.
    case scannerNFC = 0x0093
    /// Time.
    case time = 0x00a0
    /// Time: Alarm Timer.
    case timeAlarmTimer = 0x00a1
    /// Time: Real Time Clock.
    case timeRealTimeClock = 0x00a2
    /// Personal Activity.
    case personalActivity = 0x00b0
    /// Personal Activity: Activity Detection.
    case personalActivityActivityDetection = 0x00b1
    /// Personal Activity: Device Position.
    case personalActivityDevicePosition = 0x00b2
    /// Personal Activity: Pedometer.
    case personalActivityPedometer = 0x00b3
    /// Personal Activity: Step Detection.
    case personalActivityStepDetection = 0x00b4
    /// Orientation Extended.
    case orientationExtended = 0x00c0
    /// Orientation Extended: Geomagnetic Orientation.
    case orientationExtendedGeomagneticOrientation = 0x00c1
    /// Orientation Extended: Magnetometer.
    case orientationExtendedMagnetometer = 0x00c2
    /// Gesture.
    case gesture = 0x00d0
    /// Gesture: Chassis Flip Gesture.
    case gestureChassisFlipGesture = 0x00d1
    /// Gesture: Hinge Fold Gesture.
    case gestureHingeFoldGesture = 0x00d2
    /// Other.
    case other = 0x00e0
    /// Other: Custom.
    case otherCustom = 0x00e1
    /// Other: Generic.
    case otherGeneric = 0x00e2
    /// Other: Generic Enumerator.
    case otherGenericEnumerator = 0x00e3
    /// Other: Hinge Angle.
    case otherHingeAngle = 0x00e4
    /// Vendor Reserved 1.
    case vendorReserved1 = 0x00f0
    /// Vendor Reserved 2.
    case vendorReserved2 = 0x00f1
    /// Vendor Reserved 3.
    case vendorReserved3 = 0x00f2
    /// Vendor Reserved 4.
    case vendorReserved4 = 0x00f3
    /// Vendor Reserved 5.
    case vendorReserved5 = 0x00f4
    /// Vendor Reserved 6.
    case vendorReserved6 = 0x00f5
    /// Vendor Reserved 7.
    case vendorReserved7 = 0x00f6
    /// Vendor Reserved 8.
    case vendorReserved8 = 0x00f7
    /// Vendor Reserved 9.
    case vendorReserved9 = 0x00f8
    /// Vendor Reserved 10.
    case vendorReserved10 = 0x00f9
    /// Vendor Reserved 11.
    case vendorReserved11 = 0x00fa
    /// Vendor Reserved 12.
    case vendorReserved12 = 0x00fb
    /// Vendor Reserved 13.
    case vendorReserved13 = 0x00fc
    /// Vendor Reserved 14.
    case vendorReserved14 = 0x00fd
    /// Vendor Reserved 15.
    case vendorReserved15 = 0x00fe
    /// Vendor Reserved 16.
    case vendorReserved16 = 0x00ff
    /// Event.
    case event = 0x0200
    /// Event: Sensor State.
    case eventSensorState = 0x0201
    /// Event: Sensor Event.
    case eventSensorEvent = 0x0202
    /// Property.
    case property = 0x0300
    /// Property: Friendly Name.
    case propertyFriendlyName = 0x0301
    /// Property: Persistent Unique ID.
    case propertyPersistentUniqueID = 0x0302
    /// Property: Sensor Status.
    case propertySensorStatus = 0x0303
    /// Property: Minimum Report Interval.
    case propertyMinimumReportInterval = 0x0304
    /// Property: Sensor Manufacturer.
    case propertySensorManufacturer = 0x0305
    /// Property: Sensor Model.
    case propertySensorModel = 0x0306
    /// Property: Sensor Serial Number.
    case propertySensorSerialNumber = 0x0307
    /// Property: Sensor Description.
    case propertySensorDescription = 0x0308
    /// Property: Sensor Connection Type.
    case propertySensorConnectionType = 0x0309
    /// Property: Sensor Device Path.
    case propertySensorDevicePath = 0x030a
    /// Property: Hardware Revision.
    case propertyHardwareRevision = 0x030b
    /// Property: Firmware Version.
    case propertyFirmwareVersion = 0x030c
    /// Property: Release Date.
    case propertyReleaseDate = 0x030d
    /// Property: Report Interval.
    case propertyReportInterval = 0x030e
    /// Property: Change Sensitivity Absolute.
    case propertyChangeSensitivityAbsolute = 0x030f
    /// Property: Change Sensitivity Percent of Range.
    case propertyChangeSensitivityPercentOfRange = 0x0310
    /// Property: Change Sensitivity Percent Relative.
    case propertyChangeSensitivityPercentRelative = 0x0311
    /// Property: Accuracy.
    case propertyAccuracy = 0x0312
    /// Property: Resolution.
    case propertyResolution = 0x0313
    /// Property: Maximum.
    case propertyMaximum = 0x0314
    /// Property: Minimum.
    case propertyMinimum = 0x0315
    /// Property: Reporting State.
    case propertyReportingState = 0x0316
    /// Property: Sampling Rate.
    case propertySamplingRate = 0x0317
    /// Property: Response Curve.
    case propertyResponseCurve = 0x0318
    /// Property: Power State.
    case propertyPowerState = 0x0319
    /// Property: Maximum FIFO Events.
    case propertyMaximumFIFOEvents = 0x031a
    /// Property: Report Latency.
    case propertyReportLatency = 0x031b
    /// Property: Flush FIFO Events.
    case propertyFlushFIFOEvents = 0x031c
    /// Property: Maximum Power Consumption.
    case propertyMaximumPowerConsumption = 0x031d
    /// Property: Is Primary.
    case propertyIsPrimary = 0x031e
    /// Property: Human Presence Detection Type.
    case propertyHumanPresenceDetectionType = 0x031f
    /// Data Field: Location.
    case dataFieldLocation = 0x0400
    /// Data Field: Altitude Antenna Sea Level.
    case dataFieldAltitudeAntennaSeaLevel = 0x0402
    /// Data Field: Differential Reference Station ID.
    case dataFieldDifferentialReferenceStationID = 0x0403
    /// Data Field: Altitude Ellipsoid Error.
    case dataFieldAltitudeEllipsoidError = 0x0404
    /// Data Field: Altitude Ellipsoid.
    case dataFieldAltitudeEllipsoid = 0x0405
    /// Data Field: Altitude Sea Level Error.
    case dataFieldAltitudeSeaLevelError = 0x0406
    /// Data Field: Altitude Sea Level.
    case dataFieldAltitudeSeaLevel = 0x0407
    /// Data Field: Differential GPS Data Age.
    case dataFieldDifferentialGPSDataAge = 0x0408
    /// Data Field: Error Radius.
    case dataFieldErrorRadius = 0x0409
    /// Data Field: Fix Quality.
    case dataFieldFixQuality = 0x040a
    /// Data Field: Fix Type.
    case dataFieldFixType = 0x040b
    /// Data Field: Geoidal Separation.
    case dataFieldGeoidalSeparation = 0x040c
    /// Data Field: GPS Operation Mode.
    case dataFieldGPSOperationMode = 0x040d
    /// Data Field: GPS Selection Mode.
    case dataFieldGPSSelectionMode = 0x040e
    /// Data Field: GPS Status.
    case dataFieldGPSStatus = 0x040f
    /// Data Field: Position Dilution of Precision.
    case dataFieldPositionDilutionOfPrecision = 0x0410
    /// Data Field: Horizontal Dilution of Precision.
    case dataFieldHorizontalDilutionOfPrecision = 0x0411
    /// Data Field: Vertical Dilution of Precision.
    case dataFieldVerticalDilutionOfPrecision = 0x0412
    /// Data Field: Latitude.
    case dataFieldLatitude = 0x0413
    /// Data Field: Longitude.
    case dataFieldLongitude = 0x0414
    /// Data Field: True Heading.
    case dataFieldTrueHeading = 0x0415
    /// Data Field: Magnetic Heading.
    case dataFieldMagneticHeading = 0x0416
    /// Data Field: Magnetic Variation.
    case dataFieldMagneticVariation = 0x0417
    /// Data Field: Speed.
    case dataFieldSpeed = 0x0418
    /// Data Field: Satellites in View.
    case dataFieldSatellitesInView = 0x0419
    /// Data Field: Satellites in View Azimuth.
    case dataFieldSatellitesInViewAzimuth = 0x041a
    /// Data Field: Satellites in View Elevation.
    case dataFieldSatellitesInViewElevation = 0x041b
    /// Data Field: Satellites in View IDs.
    case dataFieldSatellitesInViewIDs = 0x041c
    /// Data Field: Satellites in View PRNs.
    case dataFieldSatellitesInViewPRNs = 0x041d
    /// Data Field: Satellites in View S/N Ratios.
    case dataFieldSatellitesInViewSOrNRatios = 0x041e
    /// Data Field: Satellites Used Count.
    case dataFieldSatellitesUsedCount = 0x041f
    /// Data Field: Satellites Used PRNs.
    case dataFieldSatellitesUsedPRNs = 0x0420
    /// Data Field: NMEA Sentence.
    case dataFieldNMEASentence = 0x0421
    /// Data Field: Address Line 1.
    case dataFieldAddressLine1 = 0x0422
    /// Data Field: Address Line 2.
    case dataFieldAddressLine2 = 0x0423
    /// Data Field: City.
    case dataFieldCity = 0x0424
    /// Data Field: State or Province.
    case dataFieldStateOrProvince = 0x0425
    /// Data Field: Country or Region.
    case dataFieldCountryOrRegion = 0x0426
    /// Data Field: Postal Code.
    case dataFieldPostalCode = 0x0427
    /// Property: Location.
    case propertyLocation = 0x042a
    /// Property: Location Desired Accuracy.
    case propertyLocationDesiredAccuracy = 0x042b
    /// Data Field: Environmental.
    case dataFieldEnvironmental = 0x0430
    /// Data Field: Atmospheric Pressure.
    case dataFieldAtmosphericPressure = 0x0431
    /// Data Field: Relative Humidity.
    case dataFieldRelativeHumidity = 0x0433
    /// Data Field: Temperature.
    case dataFieldTemperature = 0x0434
    /// Data Field: Wind Direction.
    case dataFieldWindDirection = 0x0435
    /// Data Field: Wind Speed.
    case dataFieldWindSpeed = 0x0436
    /// Data Field: Air Quality Index.
    case dataFieldAirQualityIndex = 0x0437
    /// Data Field: Equivalent CO2.
    case dataFieldEquivalentCO2 = 0x0438
    /// Data Field: Volatile Organic Compound Concentration.
    case dataFieldVolatileOrganicCompoundConcentration = 0x0439
    /// Data Field: Object Presence.
    case dataFieldObjectPresence = 0x043a
    /// Data Field: Object Proximity Range.
    case dataFieldObjectProximityRange = 0x043b
    /// Data Field: Object Proximity Out of Range.
    case dataFieldObjectProximityOutOfRange = 0x043c
    /// Property: Environmental.
    case propertyEnvironmental = 0x0440
    /// Property: Reference Pressure.
    case propertyReferencePressure = 0x0441
    /// Data Field: Motion.
    case dataFieldMotion = 0x0450
    /// Data Field: Motion State.
    case dataFieldMotionState = 0x0451
    /// Data Field: Acceleration.
    case dataFieldAcceleration = 0x0452
    /// Data Field: Acceleration Axis X.
    case dataFieldAccelerationAxisX = 0x0453
    /// Data Field: Acceleration Axis Y.
    case dataFieldAccelerationAxisY = 0x0454
    /// Data Field: Acceleration Axis Z.
    case dataFieldAccelerationAxisZ = 0x0455
    /// Data Field: Angular Velocity.
    case dataFieldAngularVelocity = 0x0456
    /// Data Field: Angular Velocity about X Axis.
    case dataFieldAngularVelocityAboutXAxis = 0x0457
    /// Data Field: Angular Velocity about Y Axis.
    case dataFieldAngularVelocityAboutYAxis = 0x0458
    /// Data Field: Angular Velocity about Z Axis.
    case dataFieldAngularVelocityAboutZAxis = 0x0459
    /// Data Field: Angular Position.
    case dataFieldAngularPosition = 0x045a
    /// Data Field: Angular Position about X Axis.
    case dataFieldAngularPositionAboutXAxis = 0x045b
    /// Data Field: Angular Position about Y Axis.
    case dataFieldAngularPositionAboutYAxis = 0x045c
    /// Data Field: Angular Position about Z Axis.
    case dataFieldAngularPositionAboutZAxis = 0x045d
    /// Data Field: Motion Speed.
    case dataFieldMotionSpeed = 0x045e
    /// Data Field: Motion Intensity.
    case dataFieldMotionIntensity = 0x045f
    /// Data Field: Orientation.
    case dataFieldOrientation = 0x0470
    /// Data Field: Heading.
    case dataFieldHeading = 0x0471
    /// Data Field: Heading X Axis.
    case dataFieldHeadingXAxis = 0x0472
    /// Data Field: Heading Y Axis.
    case dataFieldHeadingYAxis = 0x0473
    /// Data Field: Heading Z Axis.
    case dataFieldHeadingZAxis = 0x0474
    /// Data Field: Heading Compensated Magnetic North.
    case dataFieldHeadingCompensatedMagneticNorth = 0x0475
    /// Data Field: Heading Compensated True North.
    case dataFieldHeadingCompensatedTrueNorth = 0x0476
    /// Data Field: Heading Magnetic North.
    case dataFieldHeadingMagneticNorth = 0x0477
    /// Data Field: Heading True North.
    case dataFieldHeadingTrueNorth = 0x0478
    /// Data Field: Distance.
    case dataFieldDistance = 0x0479
    /// Data Field: Distance X Axis.
    case dataFieldDistanceXAxis = 0x047a
    /// Data Field: Distance Y Axis.
    case dataFieldDistanceYAxis = 0x047b
    /// Data Field: Distance Z Axis.
    case dataFieldDistanceZAxis = 0x047c
    /// Data Field: Distance Out-of-Range.
    case dataFieldDistanceOutOfRange = 0x047d
    /// Data Field: Tilt.
    case dataFieldTilt = 0x047e
    /// Data Field: Tilt X Axis.
    case dataFieldTiltXAxis = 0x047f
    /// Data Field: Tilt Y Axis.
    case dataFieldTiltYAxis = 0x0480
    /// Data Field: Tilt Z Axis.
    case dataFieldTiltZAxis = 0x0481
    /// Data Field: Rotation Matrix.
    case dataFieldRotationMatrix = 0x0482
    /// Data Field: Quaternion.
    case dataFieldQuaternion = 0x0483
    /// Data Field: Magnetic Flux.
    case dataFieldMagneticFlux = 0x0484
    /// Data Field: Magnetic Flux X Axis.
    case dataFieldMagneticFluxXAxis = 0x0485
    /// Data Field: Magnetic Flux Y Axis.
    case dataFieldMagneticFluxYAxis = 0x0486
    /// Data Field: Magnetic Flux Z Axis.
    case dataFieldMagneticFluxZAxis = 0x0487
    /// Data Field: Magnetometer Accuracy.
    case dataFieldMagnetometerAccuracy = 0x0488
    /// Data Field: Simple Orientation Direction.
    case dataFieldSimpleOrientationDirection = 0x0489
    /// Data Field: Mechanical.
    case dataFieldMechanical = 0x0490
    /// Data Field: Boolean Switch State.
    case dataFieldBooleanSwitchState = 0x0491
    /// Data Field: Boolean Switch Array States.
    case dataFieldBooleanSwitchArrayStates = 0x0492
    /// Data Field: Multivalue Switch Value.
    case dataFieldMultivalueSwitchValue = 0x0493
    /// Data Field: Force.
    case dataFieldForce = 0x0494
    /// Data Field: Absolute Pressure.
    case dataFieldAbsolutePressure = 0x0495
    /// Data Field: Gauge Pressure.
    case dataFieldGaugePressure = 0x0496
    /// Data Field: Strain.
    case dataFieldStrain = 0x0497
    /// Data Field: Weight.
    case dataFieldWeight = 0x0498
    /// Property: Mechanical.
    case propertyMechanical = 0x04a0
    /// Property: Vibration State.
    case propertyVibrationState = 0x04a1
    /// Property: Forward Vibration Speed.
    case propertyForwardVibrationSpeed = 0x04a2
    /// Property: Backward Vibration Speed.
    case propertyBackwardVibrationSpeed = 0x04a3
    /// Data Field: Biometric.
    case dataFieldBiometric = 0x04b0
    /// Data Field: Human Presence.
    case dataFieldHumanPresence = 0x04b1
    /// Data Field: Human Proximity Range.
    case dataFieldHumanProximityRange = 0x04b2
    /// Data Field: Human Proximity Out of Range.
    case dataFieldHumanProximityOutOfRange = 0x04b3
    /// Data Field: Human Touch State.
    case dataFieldHumanTouchState = 0x04b4
    /// Data Field: Blood Pressure.
    case dataFieldBloodPressure = 0x04b5
    /// Data Field: Blood Pressure Diastolic.
    case dataFieldBloodPressureDiastolic = 0x04b6
    /// Data Field: Blood Pressure Systolic.
    case dataFieldBloodPressureSystolic = 0x04b7
    /// Data Field: Heart Rate.
    case dataFieldHeartRate = 0x04b8
    /// Data Field: Resting Heart Rate.
    case dataFieldRestingHeartRate = 0x04b9
    /// Data Field: Heartbeat Interval.
    case dataFieldHeartbeatInterval = 0x04ba
    /// Data Field: Respiratory Rate.
    case dataFieldRespiratoryRate = 0x04bb
    /// Data Field: SpO2.
    case dataFieldSpO2 = 0x04bc
    /// Data Field: Human Attention Detected.
    case dataFieldHumanAttentionDetected = 0x04bd
    /// Data Field: Light.
    case dataFieldLight = 0x04d0
    /// Data Field: Illuminance.
    case dataFieldIlluminance = 0x04d1
    /// Data Field: Color Temperature.
    case dataFieldColorTemperature = 0x04d2
    /// Data Field: Chromaticity.
    case dataFieldChromaticity = 0x04d3
    /// Data Field: Chromaticity X.
    case dataFieldChromaticityX = 0x04d4
    /// Data Field: Chromaticity Y.
    case dataFieldChromaticityY = 0x04d5
    /// Data Field: Consumer IR Sentence Receive.
    case dataFieldConsumerIRSentenceReceive = 0x04d6
    /// Data Field: Infrared Light.
    case dataFieldInfraredLight = 0x04d7
    /// Data Field: Red Light.
    case dataFieldRedLight = 0x04d8
    /// Data Field: Green Light.
    case dataFieldGreenLight = 0x04d9
    /// Data Field: Blue Light.
    case dataFieldBlueLight = 0x04da
    /// Data Field: Ultraviolet A Light.
    case dataFieldUltravioletALight = 0x04db
    /// Data Field: Ultraviolet B Light.
    case dataFieldUltravioletBLight = 0x04dc
    /// Data Field: Ultraviolet Index.
    case dataFieldUltravioletIndex = 0x04dd
    /// Data Field: Near Infrared Light.
    case dataFieldNearInfraredLight = 0x04de
    /// Property: Light.
    case propertyLight = 0x04df
    /// Property: Consumer IR Sentence Send.
    case propertyConsumerIRSentenceSend = 0x04e0
    /// Property: Auto Brightness Preferred.
    case propertyAutoBrightnessPreferred = 0x04e2
    /// Property: Auto Color Preferred.
    case propertyAutoColorPreferred = 0x04e3
    /// Data Field: Scanner.
    case dataFieldScanner = 0x04f0
    /// Data Field: RFID Tag 40 Bit.
    case dataFieldRFIDTag40Bit = 0x04f1
    /// Data Field: NFC Sentence Receive.
    case dataFieldNFCSentenceReceive = 0x04f2
    /// Property: Scanner.
    case propertyScanner = 0x04f8
    /// Property: NFC Sentence Send.
    case propertyNFCSentenceSend = 0x04f9
    /// Data Field: Electrical.
    case dataFieldElectrical = 0x0500
    /// Data Field: Capacitance.
    case dataFieldCapacitance = 0x0501
    /// Data Field: Current.
    case dataFieldCurrent = 0x0502
    /// Data Field: Electrical Power.
    case dataFieldElectricalPower = 0x0503
    /// Data Field: Inductance.
    case dataFieldInductance = 0x0504
    /// Data Field: Resistance.
    case dataFieldResistance = 0x0505
    /// Data Field: Voltage.
    case dataFieldVoltage = 0x0506
    /// Data Field: Frequency.
    case dataFieldFrequency = 0x0507
    /// Data Field: Period.
    case dataFieldPeriod = 0x0508
    /// Data Field: Percent of Range.
    case dataFieldPercentOfRange = 0x0509
    /// Data Field: Time.
    case dataFieldTime = 0x0520
    /// Data Field: Year.
    case dataFieldYear = 0x0521
    /// Data Field: Month.
    case dataFieldMonth = 0x0522
    /// Data Field: Day.
    case dataFieldDay = 0x0523
    /// Data Field: Day of Week.
    case dataFieldDayOfWeek = 0x0524
    /// Data Field: Hour.
    case dataFieldHour = 0x0525
    /// Data Field: Minute.
    case dataFieldMinute = 0x0526
    /// Data Field: Second.
    case dataFieldSecond = 0x0527
    /// Data Field: Millisecond.
    case dataFieldMillisecond = 0x0528
    /// Data Field: Timestamp.
    case dataFieldTimestamp = 0x0529
    /// Data Field: Julian Day of Year.
    case dataFieldJulianDayOfYear = 0x052a
    /// Data Field: Time Since System Boot.
    case dataFieldTimeSinceSystemBoot = 0x052b
    /// Property: Time.
    case propertyTime = 0x0530
    /// Property: Time Zone Offset from UTC.
    case propertyTimeZoneOffsetFromUTC = 0x0531
    /// Property: Time Zone Name.
    case propertyTimeZoneName = 0x0532
    /// Property: Daylight Savings Time Observed.
    case propertyDaylightSavingsTimeObserved = 0x0533
    /// Property: Time Trim Adjustment.
    case propertyTimeTrimAdjustment = 0x0534
    /// Property: Arm Alarm.
    case propertyArmAlarm = 0x0535
    /// Data Field: Custom.
    case dataFieldCustom = 0x0540
    /// Data Field: Custom Usage.
    case dataFieldCustomUsage = 0x0541
    /// Data Field: Custom Boolean Array.
    case dataFieldCustomBooleanArray = 0x0542
    /// Data Field: Custom Value.
    case dataFieldCustomValue = 0x0543
    /// Data Field: Custom Value 1.
    case dataFieldCustomValue1 = 0x0544
    /// Data Field: Custom Value 2.
    case dataFieldCustomValue2 = 0x0545
    /// Data Field: Custom Value 3.
    case dataFieldCustomValue3 = 0x0546
    /// Data Field: Custom Value 4.
    case dataFieldCustomValue4 = 0x0547
    /// Data Field: Custom Value 5.
    case dataFieldCustomValue5 = 0x0548
    /// Data Field: Custom Value 6.
    case dataFieldCustomValue6 = 0x0549
    /// Data Field: Custom Value 7.
    case dataFieldCustomValue7 = 0x054a
    /// Data Field: Custom Value 8.
    case dataFieldCustomValue8 = 0x054b
    /// Data Field: Custom Value 9.
    case dataFieldCustomValue9 = 0x054c
    /// Data Field: Custom Value 10.
    case dataFieldCustomValue10 = 0x054d
    /// Data Field: Custom Value 11.
    case dataFieldCustomValue11 = 0x054e
    /// Data Field: Custom Value 12.
    case dataFieldCustomValue12 = 0x054f
    /// Data Field: Custom Value 13.
    case dataFieldCustomValue13 = 0x0550
    /// Data Field: Custom Value 14.
    case dataFieldCustomValue14 = 0x0551
    /// Data Field: Custom Value 15.
    case dataFieldCustomValue15 = 0x0552
    /// Data Field: Custom Value 16.
    case dataFieldCustomValue16 = 0x0553
    /// Data Field: Custom Value 17.
    case dataFieldCustomValue17 = 0x0554
    /// Data Field: Custom Value 18.
    case dataFieldCustomValue18 = 0x0555
    /// Data Field: Custom Value 19.
    case dataFieldCustomValue19 = 0x0556
    /// Data Field: Custom Value 20.
    case dataFieldCustomValue20 = 0x0557
    /// Data Field: Custom Value 21.
    case dataFieldCustomValue21 = 0x0558
    /// Data Field: Custom Value 22.
    case dataFieldCustomValue22 = 0x0559
    /// Data Field: Custom Value 23.
    case dataFieldCustomValue23 = 0x055a
    /// Data Field: Custom Value 24.
    case dataFieldCustomValue24 = 0x055b
    /// Data Field: Custom Value 25.
    case dataFieldCustomValue25 = 0x055c
    /// Data Field: Custom Value 26.
    case dataFieldCustomValue26 = 0x055d
    /// Data Field: Custom Value 27.
    case dataFieldCustomValue27 = 0x055e
    /// Data Field: Custom Value 28.
    case dataFieldCustomValue28 = 0x055f
    /// Data Field: Generic.
    case dataFieldGeneric = 0x0560
    /// Data Field: Generic GUID or PROPERTYKEY.
    case dataFieldGenericGUIDOrPropertyKey = 0x0561
    /// Data Field: Generic Category GUID.
    case dataFieldGenericCategoryGUID = 0x0562
    /// Data Field: Generic Type GUID.
    case dataFieldGenericTypeGUID = 0x0563
    /// Data Field: Generic Event PROPERTYKEY.
    case dataFieldGenericEventPropertyKey = 0x0564
    /// Data Field: Generic Property PROPERTYKEY.
    case dataFieldGenericPropertyPropertyKey = 0x0565
    /// Data Field: Generic Data Field PROPERTYKEY.
    case dataFieldGenericDataFieldPropertyKey = 0x0566
    /// Data Field: Generic Event.
    case dataFieldGenericEvent = 0x0567
    /// Data Field: Generic Property.
    case dataFieldGenericProperty = 0x0568
    /// Data Field: Generic Data Field.
    case dataFieldGenericDataField = 0x0569
    /// Data Field: Enumerator Table Row Index.
    case dataFieldEnumeratorTableRowIndex = 0x056a
    /// Data Field: Enumerator Table Row Count.
    case dataFieldEnumeratorTableRowCount = 0x056b
    /// Data Field: Generic GUID or PROPERTYKEY kind.
    case dataFieldGenericGUIDOrPropertyKeyKind = 0x056c
    /// Data Field: Generic GUID.
    case dataFieldGenericGUID = 0x056d
    /// Data Field: Generic PROPERTYKEY.
    case dataFieldGenericPropertyKey = 0x056e
    /// Data Field: Generic Top Level Collection ID.
    case dataFieldGenericTopLevelCollectionID = 0x056f
    /// Data Field: Generic Report ID.
    case dataFieldGenericReportID = 0x0570
    /// Data Field: Generic Report Item Position Index.
    case dataFieldGenericReportItemPositionIndex = 0x0571
    /// Data Field: Generic Firmware VARTYPE.
    case dataFieldGenericFirmwareVARTYPE = 0x0572
    /// Data Field: Generic Unit of Measure.
    case dataFieldGenericUnitOfMeasure = 0x0573
    /// Data Field: Generic Unit Exponent.
    case dataFieldGenericUnitExponent = 0x0574
    /// Data Field: Generic Report Size.
    case dataFieldGenericReportSize = 0x0575
    /// Data Field: Generic Report Count.
    case dataFieldGenericReportCount = 0x0576
    /// Property: Generic.
    case propertyGeneric = 0x0580
    /// Property: Enumerator Table Row Index.
    case propertyEnumeratorTableRowIndex = 0x0581
    /// Property: Enumerator Table Row Count.
    case propertyEnumeratorTableRowCount = 0x0582
    /// Data Field: Personal Activity.
    case dataFieldPersonalActivity = 0x0590
    /// Data Field: Activity Type.
    case dataFieldActivityType = 0x0591
    /// Data Field: Activity State.
    case dataFieldActivityState = 0x0592
    /// Data Field: Device Position.
    case dataFieldDevicePosition = 0x0593
    /// Data Field: Step Count.
    case dataFieldStepCount = 0x0594
    /// Data Field: Step Count Reset.
    case dataFieldStepCountReset = 0x0595
    /// Data Field: Step Duration.
    case dataFieldStepDuration = 0x0596
    /// Data Field: Step Type.
    case dataFieldStepType = 0x0597
    /// Property: Minimum Activity Detection Interval.
    case propertyMinimumActivityDetectionInterval = 0x05a0
    /// Property: Supported Activity Types.
    case propertySupportedActivityTypes = 0x05a1
    /// Property: Subscribed Activity Types.
    case propertySubscribedActivityTypes = 0x05a2
    /// Property: Supported Step Types.
    case propertySupportedStepTypes = 0x05a3
    /// Property: Subscribed Step Types.
    case propertySubscribedStepTypes = 0x05a4
    /// Property: Floor Height.
    case propertyFloorHeight = 0x05a5
    /// Data Field: Custom Type ID.
    case dataFieldCustomTypeID = 0x05b0
    /// Property: Custom.
    case propertyCustom = 0x05c0
    /// Property: Custom Value 1.
    case propertyCustomValue1 = 0x05c1
    /// Property: Custom Value 2.
    case propertyCustomValue2 = 0x05c2
    /// Property: Custom Value 3.
    case propertyCustomValue3 = 0x05c3
    /// Property: Custom Value 4.
    case propertyCustomValue4 = 0x05c4
    /// Property: Custom Value 5.
    case propertyCustomValue5 = 0x05c5
    /// Property: Custom Value 6.
    case propertyCustomValue6 = 0x05c6
    /// Property: Custom Value 7.
    case propertyCustomValue7 = 0x05c7
    /// Property: Custom Value 8.
    case propertyCustomValue8 = 0x05c8
    /// Property: Custom Value 9.
    case propertyCustomValue9 = 0x05c9
    /// Property: Custom Value 10.
    case propertyCustomValue10 = 0x05ca
    /// Property: Custom Value 11.
    case propertyCustomValue11 = 0x05cb
    /// Property: Custom Value 12.
    case propertyCustomValue12 = 0x05cc
    /// Property: Custom Value 13.
    case propertyCustomValue13 = 0x05cd
    /// Property: Custom Value 14.
    case propertyCustomValue14 = 0x05ce
    /// Property: Custom Value 15.
    case propertyCustomValue15 = 0x05cf
    /// Property: Custom Value 16.
    case propertyCustomValue16 = 0x05d0
    /// Data Field: Hinge.
    case dataFieldHinge = 0x05e0
    /// Data Field: Hinge Angle.
    case dataFieldHingeAngle = 0x05e1
    /// Data Field: Gesture Sensor.
    case dataFieldGestureSensor = 0x05f0
    /// Data Field: Gesture State.
    case dataFieldGestureState = 0x05f1
    /// Data Field: Hinge Fold Initial Angle.
    case dataFieldHingeFoldInitialAngle = 0x05f2
    /// Data Field: Hinge Fold Final Angle.
    case dataFieldHingeFoldFinalAngle = 0x05f3
    /// Data Field: Hinge Fold Contributing Panel.
    case dataFieldHingeFoldContributingPanel = 0x05f4
    /// Data Field: Hinge Fold Type.
    case dataFieldHingeFoldType = 0x05f5
    /// Sensor State: Undefined.
    case sensorStateUndefined = 0x0800
    /// Sensor State: Ready.
    case sensorStateReady = 0x0801
    /// Sensor State: Not Available.
    case sensorStateNotAvailable = 0x0802
    /// Sensor State: No Data.
    case sensorStateNoData = 0x0803
    /// Sensor State: Initializing.
    case sensorStateInitializing = 0x0804
    /// Sensor State: Access Denied.
    case sensorStateAccessDenied = 0x0805
    /// Sensor State: Error.
    case sensorStateError = 0x0806
    /// Sensor Event: Unknown.
    case sensorEventUnknown = 0x0810
    /// Sensor Event: State Changed.
    case sensorEventStateChanged = 0x0811
    /// Sensor Event: Property Changed.
    case sensorEventPropertyChanged = 0x0812
    /// Sensor Event: Data Updated.
    case sensorEventDataUpdated = 0x0813
    /// Sensor Event: Poll Response.
    case sensorEventPollResponse = 0x0814
    /// Sensor Event: Change Sensitivity.
    case sensorEventChangeSensitivity = 0x0815
    /// Sensor Event: Range Maximum Reached.
    case sensorEventRangeMaximumReached = 0x0816
    /// Sensor Event: Range Minimum Reached.
    case sensorEventRangeMinimumReached = 0x0817
    /// Sensor Event: High Threshold Cross Upward.
    case sensorEventHighThresholdCrossUpward = 0x0818
    /// Sensor Event: High Threshold Cross Downward.
    case sensorEventHighThresholdCrossDownward = 0x0819
    /// Sensor Event: Low Threshold Cross Upward.
    case sensorEventLowThresholdCrossUpward = 0x081a
    /// Sensor Event: Low Threshold Cross Downward.
    case sensorEventLowThresholdCrossDownward = 0x081b
    /// Sensor Event: Zero Threshold Cross Upward.
    case sensorEventZeroThresholdCrossUpward = 0x081c
    /// Sensor Event: Zero Threshold Cross Downward.
    case sensorEventZeroThresholdCrossDownward = 0x081d
    /// Sensor Event: Period Exceeded.
    case sensorEventPeriodExceeded = 0x081e
    /// Sensor Event: Frequency Exceeded.
    case sensorEventFrequencyExceeded = 0x081f
    /// Sensor Event: Complex Trigger.
    case sensorEventComplexTrigger = 0x0820
    /// Connection Type: PC Integrated.
    case connectionTypePCIntegrated = 0x0830
    /// Connection Type: PC Attached.
    case connectionTypePCAttached = 0x0831
    /// Connection Type: PC External.
    case connectionTypePCExternal = 0x0832
    /// Reporting State: Report No Events.
    case reportingStateReportNoEvents = 0x0840
    /// Reporting State: Report All Events.
    case reportingStateReportAllEvents = 0x0841
    /// Reporting State: Report Threshold Events.
    case reportingStateReportThresholdEvents = 0x0842
    /// Reporting State: Wake On No Events.
    case reportingStateWakeOnNoEvents = 0x0843
    /// Reporting State: Wake On All Events.
    case reportingStateWakeOnAllEvents = 0x0844
    /// Reporting State: Wake On Threshold Events.
    case reportingStateWakeOnThresholdEvents = 0x0845
    /// Power State: Undefined.
    case powerStateUndefined = 0x0850
    /// Power State: D0 Full Power.
    case powerStateD0FullPower = 0x0851
    /// Power State: D1 Low Power.
    case powerStateD1LowPower = 0x0852
    /// Power State: D2 Standby Power with Wakeup.
    case powerStateD2StandbyPowerWithWakeup = 0x0853
    /// Power State: D3 Sleep with Wakeup.
    case powerStateD3SleepWithWakeup = 0x0854
    /// Power State: D4 Power Off.
    case powerStateD4PowerOff = 0x0855
    /// Accuracy: Default.
    case accuracyDefault = 0x0860
    /// Accuracy: High.
    case accuracyHigh = 0x0861
    /// Accuracy: Medium.
    case accuracyMedium = 0x0862
    /// Accuracy: Low.
    case accuracyLow = 0x0863
    /// Fix Quality: No Fix.
    case fixQualityNoFix = 0x0870
    /// Fix Quality: GPS.
    case fixQualityGPS = 0x0871
    /// Fix Quality: DGPS.
    case fixQualityDGPS = 0x0872
    /// Fix Type: No Fix.
    case fixTypeNoFix = 0x0880
    /// Fix Type: GPS SPS Mode, Fix Valid.
    case fixTypeGPSSPSModeFixValid = 0x0881
    /// Fix Type: DGPS SPS Mode, Fix Valid.
    case fixTypeDGPSSPSModeFixValid = 0x0882
    /// Fix Type: GPS PPS Mode, Fix Valid.
    case fixTypeGPSPPSModeFixValid = 0x0883
    /// Fix Type: Real Time Kinematic.
    case fixTypeRealTimeKinematic = 0x0884
    /// Fix Type: Float RTK.
    case fixTypeFloatRTK = 0x0885
    /// Fix Type: Estimated (dead reckoned).
    case fixTypeEstimatedDeadReckoned = 0x0886
    /// Fix Type: Manual Input Mode.
    case fixTypeManualInputMode = 0x0887
    /// Fix Type: Simulator Mode.
    case fixTypeSimulatorMode = 0x0888
    /// GPS Operation Mode: Manual.
    case gpsOperationModeManual = 0x0890
    /// GPS Operation Mode: Automatic.
    case gpsOperationModeAutomatic = 0x0891
    /// GPS Selection Mode: Autonomous.
    case gpsSelectionModeAutonomous = 0x08a0
    /// GPS Selection Mode: DGPS.
    case gpsSelectionModeDGPS = 0x08a1
    /// GPS Selection Mode: Estimated (dead reckoned).
    case gpsSelectionModeEstimatedDeadReckoned = 0x08a2
    /// GPS Selection Mode: Manual Input.
    case gpsSelectionModeManualInput = 0x08a3
    /// GPS Selection Mode: Simulator.
    case gpsSelectionModeSimulator = 0x08a4
    /// GPS Selection Mode: Data Not Valid.
    case gpsSelectionModeDataNotValid = 0x08a5
    /// GPS Status Data: Valid.
    case gpsStatusDataValid = 0x08b0
    /// GPS Status Data: Not Valid.
    case gpsStatusDataNotValid = 0x08b1
    /// Day of Week: Sunday.
    case dayOfWeekSunday = 0x08c0
    /// Day of Week: Monday.
    case dayOfWeekMonday = 0x08c1
    /// Day of Week: Tuesday.
    case dayOfWeekTuesday = 0x08c2
    /// Day of Week: Wednesday.
    case dayOfWeekWednesday = 0x08c3
    /// Day of Week: Thursday.
    case dayOfWeekThursday = 0x08c4
    /// Day of Week: Friday.
    case dayOfWeekFriday = 0x08c5
    /// Day of Week: Saturday.
    case dayOfWeekSaturday = 0x08c6
    /// Kind: Category.
    case kindCategory = 0x08d0
    /// Kind: Type.
    case kindType = 0x08d1
    /// Kind: Event.
    case kindEvent = 0x08d2
    /// Kind: Property.
    case kindProperty = 0x08d3
    /// Kind: Data Field.
    case kindDataField = 0x08d4
    /// Magnetometer Accuracy: Low.
    case magnetometerAccuracyLow = 0x08e0
    /// Magnetometer Accuracy: Medium.
    case magnetometerAccuracyMedium = 0x08e1
    /// Magnetometer Accuracy: High.
    case magnetometerAccuracyHigh = 0x08e2
    /// Simple Orientation Direction: Not Rotated.
    case simpleOrientationDirectionNotRotated = 0x08f0
    /// Simple Orientation Direction: Rotated 90 Degrees CCW.
    case simpleOrientationDirectionRotated90DegreesCCW = 0x08f1
    /// Simple Orientation Direction: Rotated 180 Degrees CCW.
    case simpleOrientationDirectionRotated180DegreesCCW = 0x08f2
    /// Simple Orientation Direction: Rotated 270 Degrees CCW.
    case simpleOrientationDirectionRotated270DegreesCCW = 0x08f3
    /// Simple Orientation Direction: Face Up.
    case simpleOrientationDirectionFaceUp = 0x08f4
    /// Simple Orientation Direction: Face Down.
    case simpleOrientationDirectionFaceDown = 0x08f5
    /// VT_NULL.
    case variableTypeNULL = 0x0900
    /// VT_BOOL.
    case variableTypeBool = 0x0901
    /// VT_UI1.
    case variableTypeUI1 = 0x0902
    /// VT_I1.
    case variableTypeI1 = 0x0903
    /// VT_UI2.
    case variableTypeUI2 = 0x0904
    /// VT_I2.
    case variableTypeI2 = 0x0905
    /// VT_UI4.
    case variableTypeUI4 = 0x0906
    /// VT_I4.
    case variableTypeI4 = 0x0907
    /// VT_UI8.
    case variableTypeUI8 = 0x0908
    /// VT_I8.
    case variableTypeI8 = 0x0909
    /// VT_R4.
    case variableTypeR4 = 0x090a
    /// VT_R8.
    case variableTypeR8 = 0x090b
    /// VT_WSTR.
    case variableTypeWSTR = 0x090c
    /// VT_STR.
    case variableTypeSTR = 0x090d
    /// VT_CLSID.
    case variableTypeCLSID = 0x090e
    /// VT_VECTOR VT_UI1.
    case variableTypeVectorVariableTypeUI1 = 0x090f
    /// VT_F16E0.
    case variableTypeF16E0 = 0x0910
    /// VT_F16E1.
    case variableTypeF16E1 = 0x0911
    /// VT_F16E2.
    case variableTypeF16E2 = 0x0912
    /// VT_F16E3.
    case variableTypeF16E3 = 0x0913
    /// VT_F16E4.
    case variableTypeF16E4 = 0x0914
    /// VT_F16E5.
    case variableTypeF16E5 = 0x0915
    /// VT_F16E6.
    case variableTypeF16E6 = 0x0916
    /// VT_F16E7.
    case variableTypeF16E7 = 0x0917
    /// VT_F16E8.
    case variableTypeF16E8 = 0x0918
    /// VT_F16E9.
    case variableTypeF16E9 = 0x0919
    /// VT_F16EA.
    case variableTypeF16EA = 0x091a
    /// VT_F16EB.
    case variableTypeF16EB = 0x091b
    /// VT_F16EC.
    case variableTypeF16EC = 0x091c
    /// VT_F16ED.
    case variableTypeF16ED = 0x091d
    /// VT_F16EE.
    case variableTypeF16EE = 0x091e
    /// VT_F16EF.
    case variableTypeF16EF = 0x091f
    /// VT_F32E0.
    case variableTypeF32E0 = 0x0920
    /// VT_F32E1.
    case variableTypeF32E1 = 0x0921
    /// VT_F32E2.
    case variableTypeF32E2 = 0x0922
    /// VT_F32E3.
    case variableTypeF32E3 = 0x0923
    /// VT_F32E4.
    case variableTypeF32E4 = 0x0924
    /// VT_F32E5.
    case variableTypeF32E5 = 0x0925
    /// VT_F32E6.
    case variableTypeF32E6 = 0x0926
    /// VT_F32E7.
    case variableTypeF32E7 = 0x0927
    /// VT_F32E8.
    case variableTypeF32E8 = 0x0928
    /// VT_F32E9.
    case variableTypeF32E9 = 0x0929
    /// VT_F32EA.
    case variableTypeF32EA = 0x092a
    /// VT_F32EB.
    case variableTypeF32EB = 0x092b
    /// VT_F32EC.
    case variableTypeF32EC = 0x092c
    /// VT_F32ED.
    case variableTypeF32ED = 0x092d
    /// VT_F32EE.
    case variableTypeF32EE = 0x092e
    /// VT_F32EF.
    case variableTypeF32EF = 0x092f
    /// Activity Type: Unknown.
    case activityTypeUnknown = 0x0930
    /// Activity Type: Stationary.
    case activityTypeStationary = 0x0931
    /// Activity Type: Fidgeting.
    case activityTypeFidgeting = 0x0932
    /// Activity Type: Walking.
    case activityTypeWalking = 0x0933
    /// Activity Type: Running.
    case activityTypeRunning = 0x0934
    /// Activity Type: In Vehicle.
    case activityTypeInVehicle = 0x0935
    /// Activity Type: Biking.
    case activityTypeBiking = 0x0936
    /// Activity Type: Idle.
    case activityTypeIdle = 0x0937
    /// Unit: Not Specified.
    case unitNotSpecified = 0x0940
    /// Unit: Lux.
    case unitLux = 0x0941
    /// Unit: Degrees Kelvin.
    case unitDegreesKelvin = 0x0942
    /// Unit: Degrees Celsius.
    case unitDegreesCelsius = 0x0943
    /// Unit: Pascal.
    case unitPascal = 0x0944
    /// Unit: Newton.
    case unitNewton = 0x0945
    /// Unit: Meters/Second.
    case unitMetersOrSecond = 0x0946
    /// Unit: Kilogram.
    case unitKilogram = 0x0947
    /// Unit: Meter.
    case unitMeter = 0x0948
    /// Unit: Meters/Second/Second.
    case unitMetersOrSecondOrSecond = 0x0949
    /// Unit: Farad.
    case unitFarad = 0x094a
    /// Unit: Ampere.
    case unitAmpere = 0x094b
    /// Unit: Watt.
    case unitWatt = 0x094c
    /// Unit: Henry.
    case unitHenry = 0x094d
    /// Unit: Ohm.
    case unitOhm = 0x094e
    /// Unit: Volt.
    case unitVolt = 0x094f
    /// Unit: Hertz.
    case unitHertz = 0x0950
    /// Unit: Bar.
    case unitBar = 0x0951
    /// Unit: Degrees Anti-clockwise.
    case unitDegreesAntiClockwise = 0x0952
    /// Unit: Degrees Clockwise.
    case unitDegreesClockwise = 0x0953
    /// Unit: Degrees.
    case unitDegrees = 0x0954
    /// Unit: Degrees/Second.
    case unitDegreesOrSecond = 0x0955
    /// Unit: Degrees/Second/Second.
    case unitDegreesOrSecondOrSecond = 0x0956
    /// Unit: Knot.
    case unitKnot = 0x0957
    /// Unit: Percent.
    case unitPercent = 0x0958
    /// Unit: Second.
    case unitSecond = 0x0959
    /// Unit: Millisecond.
    case unitMillisecond = 0x095a
    /// Unit: G.
    case unitG = 0x095b
    /// Unit: Bytes.
    case unitBytes = 0x095c
    /// Unit: Milligauss.
    case unitMilligauss = 0x095d
    /// Unit: Bits.
    case unitBits = 0x095e
    /// Activity State: No State Change.
    case activityStateNoStateChange = 0x0960
    /// Activity State: Start Activity.
    case activityStateStartActivity = 0x0961
    /// Activity State: End Activity.
    case activityStateEndActivity = 0x0962
    /// Exponent 0.
    case exponent0 = 0x0970
    /// Exponent 1.
    case exponent1 = 0x0971
    /// Exponent 2.
    case exponent2 = 0x0972
    /// Exponent 3.
    case exponent3 = 0x0973
    /// Exponent 4.
    case exponent4 = 0x0974
    /// Exponent 5.
    case exponent5 = 0x0975
    /// Exponent 6.
    case exponent6 = 0x0976
    /// Exponent 7.
    case exponent7 = 0x0977
    /// Exponent 8.
    case exponent8 = 0x0978
    /// Exponent 9.
    case exponent9 = 0x0979
    /// Exponent A.
    case exponentA = 0x097a
    /// Exponent B.
    case exponentB = 0x097b
    /// Exponent C.
    case exponentC = 0x097c
    /// Exponent D.
    case exponentD = 0x097d
    /// Exponent E.
    case exponentE = 0x097e
    /// Exponent F.
    case exponentF = 0x097f
    /// Device Position: Unknown.
    case devicePositionUnknown = 0x0980
    /// Device Position: Unchanged.
    case devicePositionUnchanged = 0x0981
    /// Device Position: On Desk.
    case devicePositionOnDesk = 0x0982
    /// Device Position: In Hand.
    case devicePositionInHand = 0x0983
    /// Device Position: Moving in Bag.
    case devicePositionMovingInBag = 0x0984
    /// Device Position: Stationary in Bag.
    case devicePositionStationaryInBag = 0x0985
    /// Step Type: Unknown.
    case stepTypeUnknown = 0x0990
    /// Step Type: Running.
    case stepTypeRunning = 0x0991
    /// Step Type: Walking.
    case stepTypeWalking = 0x0992
    /// Gesture State: Unknown.
    case gestureStateUnknown = 0x09a0
    /// Gesture State: Started.
    case gestureStateStarted = 0x09a1
    /// Gesture State: Completed.
    case gestureStateCompleted = 0x09a2
    /// Gesture State: Cancelled.
    case gestureStateCancelled = 0x09a3
    /// Hinge Fold Contributing Panel: Unknown.
    case hingeFoldContributingPanelUnknown = 0x09b0
    /// Hinge Fold Contributing Panel: Panel 1.
    case hingeFoldContributingPanelPanel1 = 0x09b1
    /// Hinge Fold Contributing Panel: Panel 2.
    case hingeFoldContributingPanelPanel2 = 0x09b2
    /// Hinge Fold Contributing Panel: Both.
    case hingeFoldContributingPanelBoth = 0x09b3
    /// Hinge Fold Type: Unknown.
    case hingeFoldTypeUnknown = 0x09b4
    /// Hinge Fold Type: Increasing.
    case hingeFoldTypeIncreasing = 0x09b5
    /// Hinge Fold Type: Decreasing.
    case hingeFoldTypeDecreasing = 0x09b6
    /// Human Presence Detection Type: Vendor-Defined Non-Biometric.
    case humanPresenceDetectionTypeVendorDefinedNonBiometric = 0x09c0
    /// Human Presence Detection Type: Vendor-Defined Biometric.
    case humanPresenceDetectionTypeVendorDefinedBiometric = 0x09c1
    /// Human Presence Detection Type: Facial Biometric.
    case humanPresenceDetectionTypeFacialBiometric = 0x09c2
    /// Human Presence Detection Type: Audio Biometric.
    case humanPresenceDetectionTypeAudioBiometric = 0x09c3
    /// Modifier: Change Sensitivity Absolute.
    case modifierChangeSensitivityAbsolute = 0x1000
    /// Modifier: Maximum.
    case modifierMaximum = 0x2000
    /// Modifier: Minimum.
    case modifierMinimum = 0x3000
    /// Modifier: Accuracy.
    case modifierAccuracy = 0x4000
    /// Modifier: Resolution.
    case modifierResolution = 0x5000
    /// Modifier: Threshold High.
    case modifierThresholdHigh = 0x6000
    /// Modifier: Threshold Low.
    case modifierThresholdLow = 0x7000
    /// Modifier: Calibration Offset.
    case modifierCalibrationOffset = 0x8000
    /// Modifier: Calibration Multiplier.
    case modifierCalibrationMultiplier = 0x9000
    /// Modifier: Report Interval.
    case modifierReportInterval = 0xa000
    /// Modifier: Frequency Max.
    case modifierFrequencyMax = 0xb000
    /// Modifier: Period Max.
    case modifierPeriodMax = 0xc000
    /// Modifier: Change Sensitivity Percent of Range.
    case modifierChangeSensitivityPercentOfRange = 0xd000
    /// Modifier: Change Sensitivity Percent Relative.
    case modifierChangeSensitivityPercentRelative = 0xe000
    /// Modifier: Vendor Reserved.
    case modifierVendorReserved = 0xf000
  }

  /// Page 0x0040, `medicalInstrument`.
  public enum MedicalInstrumentUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0040
    /// Medical Ultrasound.
    case medicalUltrasound = 0x0001
    /// VCR/Acquisition.
    case vcrOrAcquisition = 0x0020
    /// Freeze/Thaw.
    case freezeOrThaw = 0x0021
    /// Clip Store.
    case clipStore = 0x0022
    /// Update.
    case update = 0x0023
    /// Next.
    case next = 0x0024
    /// Save.
    case save = 0x0025
    /// Print.
    case print = 0x0026
    /// Microphone Enable.
    case microphoneEnable = 0x0027
    /// Cine.
    case cine = 0x0040
    /// Transmit Power.
    case transmitPower = 0x0041
    /// Volume.
    case volume = 0x0042
    /// Focus.
    case focus = 0x0043
    /// Depth.
    case depth = 0x0044
    /// Soft Step - Primary.
    case softStepPrimary = 0x0060
    /// Soft Step - Secondary.
    case softStepSecondary = 0x0061
    /// Depth Gain Compensation.
    case depthGainCompensation = 0x0070
    /// Zoom Select.
    case zoomSelect = 0x0080
    /// Zoom Adjust.
    case zoomAdjust = 0x0081
    /// Spectral Doppler Mode Select.
    case spectralDopplerModeSelect = 0x0082
    /// Spectral Doppler Adjust.
    case spectralDopplerAdjust = 0x0083
    /// Color Doppler Mode Select.
    case colorDopplerModeSelect = 0x0084
    /// Color Doppler Adjust.
    case colorDopplerAdjust = 0x0085
    /// Motion Mode Select.
    case motionModeSelect = 0x0086
    /// Motion Mode Adjust.
    case motionModeAdjust = 0x0087
    /// 2-D Mode Select.
    case twoDModeSelect = 0x0088
    /// 2-D Mode Adjust.
    case twoDModeAdjust = 0x0089
    /// Soft Control Select.
    case softControlSelect = 0x00a0
    /// Soft Control Adjust.
    case softControlAdjust = 0x00a1
  }

  /// Page 0x0041, `brailleDisplay`.
  public enum BrailleDisplayUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0041
    /// Braille Display.
    case brailleDisplay = 0x0001
    /// Braille Row.
    case brailleRow = 0x0002
    /// 8 Dot Braille Cell.
    case eightDotBrailleCell = 0x0003
    /// 6 Dot Braille Cell.
    case sixDotBrailleCell = 0x0004
    /// Number of Braille Cells.
    case numberOfBrailleCells = 0x0005
    /// Screen Reader Control.
    case screenReaderControl = 0x0006
    /// Screen Reader Identifier.
    case screenReaderIdentifier = 0x0007
    /// Router Set 1.
    case routerSet1 = 0x00fa
    /// Router Set 2.
    case routerSet2 = 0x00fb
    /// Router Set 3.
    case routerSet3 = 0x00fc
    /// Router Key.
    case routerKey = 0x0100
    /// Row Router Key.
    case rowRouterKey = 0x0101
    /// Braille Buttons.
    case brailleButtons = 0x0200
    /// Braille Keyboard Dot 1.
    case brailleKeyboardDot1 = 0x0201
    /// Braille Keyboard Dot 2.
    case brailleKeyboardDot2 = 0x0202
    /// Braille Keyboard Dot 3.
    case brailleKeyboardDot3 = 0x0203
    /// Braille Keyboard Dot 4.
    case brailleKeyboardDot4 = 0x0204
    /// Braille Keyboard Dot 5.
    case brailleKeyboardDot5 = 0x0205
    /// Braille Keyboard Dot 6.
    case brailleKeyboardDot6 = 0x0206
    /// Braille Keyboard Dot 7.
    case brailleKeyboardDot7 = 0x0207
    /// Braille Keyboard Dot 8.
    case brailleKeyboardDot8 = 0x0208
    /// Braille Keyboard Space.
    case brailleKeyboardSpace = 0x0209
    /// Braille Keyboard Left Space.
    case brailleKeyboardLeftSpace = 0x020a
    /// Braille Keyboard Right Space.
    case brailleKeyboardRightSpace = 0x020b
    /// Braille Face Controls.
    case brailleFaceControls = 0x020c
    /// Braille Left Controls.
    case brailleLeftControls = 0x020d
    /// Braille Right Controls.
    case brailleRightControls = 0x020e
    /// Braille Top Controls.
    case brailleTopControls = 0x020f
    /// Braille Joystick Center.
    case brailleJoystickCenter = 0x0210
    /// Braille Joystick Up.
    case brailleJoystickUp = 0x0211
    /// Braille Joystick Down.
    case brailleJoystickDown = 0x0212
    /// Braille Joystick Left.
    case brailleJoystickLeft = 0x0213
    /// Braille Joystick Right.
    case brailleJoystickRight = 0x0214
    /// Braille D-Pad Center.
    case brailleDPadCenter = 0x0215
    /// Braille D-Pad Up.
    case brailleDPadUp = 0x0216
    /// Braille D-Pad Down.
    case brailleDPadDown = 0x0217
    /// Braille D-Pad Left.
    case brailleDPadLeft = 0x0218
    /// Braille D-Pad Right.
    case brailleDPadRight = 0x0219
    /// Braille Pan Left.
    case braillePanLeft = 0x021a
    /// Braille Pan Right.
    case braillePanRight = 0x021b
    /// Braille Rocker Up.
    case brailleRockerUp = 0x021c
    /// Braille Rocker Down.
    case brailleRockerDown = 0x021d
    /// Braille Rocker Press.
    case brailleRockerPress = 0x021e
  }

  /// Page 0x0059, `lightingAndIllumination`.
  public enum LightingAndIlluminationUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0059
    /// LampArray.
    case lampArray = 0x0001
    /// LampArrayAttributesReport.
    case lampArrayAttributesReport = 0x0002
    /// LampCount.
    case lampCount = 0x0003
    /// BoundingBoxWidthInMicrometers.
    case boundingBoxWidthInMicrometers = 0x0004
    /// BoundingBoxHeightInMicrometers.
    case boundingBoxHeightInMicrometers = 0x0005
    /// BoundingBoxDepthInMicrometers.
    case boundingBoxDepthInMicrometers = 0x0006
    /// LampArrayKind.
    case lampArrayKind = 0x0007
    /// MinUpdateIntervalInMicroseconds.
    case minUpdateIntervalInMicroseconds = 0x0008
    /// LampAttributesRequestReport.
    case lampAttributesRequestReport = 0x0020
    /// LampId.
    case lampId = 0x0021
    /// LampAttributesResponseReport.
    case lampAttributesResponseReport = 0x0022
    /// PositionXInMicrometers.
    case positionXInMicrometers = 0x0023
    /// PositionYInMicrometers.
    case positionYInMicrometers = 0x0024
    /// PositionZInMicrometers.
    case positionZInMicrometers = 0x0025
    /// LampPurposes.
    case lampPurposes = 0x0026
    /// UpdateLatencyInMicroseconds.
    case updateLatencyInMicroseconds = 0x0027
    /// RedLevelCount.
    case redLevelCount = 0x0028
    /// GreenLevelCount.
    case greenLevelCount = 0x0029
    /// BlueLevelCount.
    case blueLevelCount = 0x002a
    /// IntensityLevelCount.
    case intensityLevelCount = 0x002b
    /// IsProgrammable.
    case isProgrammable = 0x002c
    /// InputBinding.
    case inputBinding = 0x002d
    /// LampMultiUpdateReport.
    case lampMultiUpdateReport = 0x0050
    /// RedUpdateChannel.
    case redUpdateChannel = 0x0051
    /// GreenUpdateChannel.
    case greenUpdateChannel = 0x0052
    /// BlueUpdateChannel.
    case blueUpdateChannel = 0x0053
    /// IntensityUpdateChannel.
    case intensityUpdateChannel = 0x0054
    /// LampUpdateFlags.
    case lampUpdateFlags = 0x0055
    /// LampRangeUpdateReport.
    case lampRangeUpdateReport = 0x0060
    /// LampIdStart.
    case lampIdStart = 0x0061
    /// LampIdEnd.
    case lampIdEnd = 0x0062
    /// LampArrayControlReport.
    case lampArrayControlReport = 0x0070
    /// AutonomousMode.
    case autonomousMode = 0x0071
  }

  /// Page 0x0080, `monitor`.
  public enum MonitorUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0080
    /// Monitor Control.
    case monitorControl = 0x0001
    /// EDID Information.
    case edidInformation = 0x0002
    /// VDIF Information.
    case vdifInformation = 0x0003
    /// VESA Version.
    case vesaVersion = 0x0004
  }

  /// Page 0x0081, `monitorEnumerated`, whose usages are numbers without names.
  public enum MonitorEnumeratedUsage: Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0081
  }

  /// Page 0x0082, `vesaVirtualControls`.
  public enum VESAVirtualControlsUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0082
    /// Degauss.
    case degauss = 0x0001
    /// Brightness.
    case brightness = 0x0010
    /// Contrast.
    case contrast = 0x0012
    /// Red Video Gain.
    case redVideoGain = 0x0016
    /// Green Video Gain.
    case greenVideoGain = 0x0018
    /// Blue Video Gain.
    case blueVideoGain = 0x001a
    /// Focus.
    case focus = 0x001c
    /// Horizontal Position.
    case horizontalPosition = 0x0020
    /// Horizontal Size.
    case horizontalSize = 0x0022
    /// Horizontal Pincushion.
    case horizontalPincushion = 0x0024
    /// Horizontal Pincushion Balance.
    case horizontalPincushionBalance = 0x0026
    /// Horizontal Misconvergence.
    case horizontalMisconvergence = 0x0028
    /// Horizontal Linearity.
    case horizontalLinearity = 0x002a
    /// Horizontal Linearity Balance.
    case horizontalLinearityBalance = 0x002c
    /// Vertical Position.
    case verticalPosition = 0x0030
    /// Vertical Size.
    case verticalSize = 0x0032
    /// Vertical Pincushion.
    case verticalPincushion = 0x0034
    /// Vertical Pincushion Balance.
    case verticalPincushionBalance = 0x0036
    /// Vertical Misconvergence.
    case verticalMisconvergence = 0x0038
    /// Vertical Linearity.
    case verticalLinearity = 0x003a
    /// Vertical Linearity Balance.
    case verticalLinearityBalance = 0x003c
    /// Parallelogram Distortion (Key Balance).
    case parallelogramDistortionKeyBalance = 0x0040
    /// Trapezoidal Distortion (Key).
    case trapezoidalDistortionKey = 0x0042
    /// Tilt (Rotation).
    case tiltRotation = 0x0044
    /// Top Corner Distortion Control.
    case topCornerDistortionControl = 0x0046
    /// Top Corner Distortion Balance.
    case topCornerDistortionBalance = 0x0048
    /// Bottom Corner Distortion Control.
    case bottomCornerDistortionControl = 0x004a
    /// Bottom Corner Distortion Balance.
    case bottomCornerDistortionBalance = 0x004c
    /// Horizontal Moiré.
    // swift-format-ignore: IdentifiersMustBeASCII
    case horizontalMoiré = 0x0056
    /// Vertical Moiré.
    // swift-format-ignore: IdentifiersMustBeASCII
    case verticalMoiré = 0x0058
    /// Input Level Select.
    case inputLevelSelect = 0x005e
    /// Input Source Select.
    case inputSourceSelect = 0x0060
    /// Red Video Black Level.
    case redVideoBlackLevel = 0x006c
    /// Green Video Black Level.
    case greenVideoBlackLevel = 0x006e
    /// Blue Video Black Level.
    case blueVideoBlackLevel = 0x0070
    /// Auto Size Center.
    case autoSizeCenter = 0x00a2
    /// Polarity Horizontal Synchronization.
    case polarityHorizontalSynchronization = 0x00a4
    /// Polarity Vertical Synchronization.
    case polarityVerticalSynchronization = 0x00a6
    /// Synchronization Type.
    case synchronizationType = 0x00a8
    /// Screen Orientation.
    case screenOrientation = 0x00aa
    /// Horizontal Frequency.
    case horizontalFrequency = 0x00ac
    /// Vertical Frequency.
    case verticalFrequency = 0x00ae
    /// Settings.
    case settings = 0x00b0
    /// On Screen Display.
    case onScreenDisplay = 0x00ca
    /// Stereo Mode.
    case stereoMode = 0x00d4
  }

  /// Page 0x0084, `power`.
  public enum PowerUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0084
    /// iName.
    case iName = 0x0001
    /// Present Status.
    case presentStatus = 0x0002
    /// Changed Status.
    case changedStatus = 0x0003
    /// UPS.
    case ups = 0x0004
    /// Power Supply.
    case powerSupply = 0x0005
    /// Battery System.
    case batterySystem = 0x0010
    /// Battery System Id.
    case batterySystemId = 0x0011
    /// Battery.
    case battery = 0x0012
    /// Battery Id.
    case batteryId = 0x0013
    /// Charger.
    case charger = 0x0014
    /// Charger Id.
    case chargerId = 0x0015
    /// Power Converter.
    case powerConverter = 0x0016
    /// Power Converter Id.
    case powerConverterId = 0x0017
    /// Outlet System.
    case outletSystem = 0x0018
    /// Outlet System Id.
    case outletSystemId = 0x0019
    /// Input.
    case input = 0x001a
    /// Input Id.
    case inputId = 0x001b
    /// Output.
    case output = 0x001c
    /// Output Id.
    case outputId = 0x001d
    /// Flow.
    case flow = 0x001e
    /// Flow Id.
    case flowId = 0x001f
    /// Outlet.
    case outlet = 0x0020
    /// Outlet Id.
    case outletId = 0x0021
    /// Gang.
    case gang = 0x0022
    /// Gang Id.
    case gangId = 0x0023
    /// Power Summary.
    case powerSummary = 0x0024
    /// Power Summary Id.
    case powerSummaryId = 0x0025
    /// Voltage.
    case voltage = 0x0030
    /// Current.
    case current = 0x0031
    /// Frequency.
    case frequency = 0x0032
    /// Apparent Power.
    case apparentPower = 0x0033
    /// Active Power.
    case activePower = 0x0034
    /// Percent Load.
    case percentLoad = 0x0035
    /// Temperature.
    case temperature = 0x0036
    /// Humidity.
    case humidity = 0x0037
    /// Bad Count.
    case badCount = 0x0038
    /// Config Voltage.
    case configVoltage = 0x0040
    /// Config Current.
    case configCurrent = 0x0041
    /// Config Frequency.
    case configFrequency = 0x0042
    /// Config Apparent Power.
    case configApparentPower = 0x0043
    /// Config Active Power.
    case configActivePower = 0x0044
    /// Config Percent Load.
    case configPercentLoad = 0x0045
    /// Config Temperature.
    case configTemperature = 0x0046
    /// Config Humidity.
    case configHumidity = 0x0047
    /// Switch On Control.
    case switchOnControl = 0x0050
    /// Switch Off Control.
    case switchOffControl = 0x0051
    /// Toggle Control.
    case toggleControl = 0x0052
    /// Low Voltage Transfer.
    case lowVoltageTransfer = 0x0053
    /// High Voltage Transfer.
    case highVoltageTransfer = 0x0054
    /// Delay Before Reboot.
    case delayBeforeReboot = 0x0055
    /// Delay Before Startup.
    case delayBeforeStartup = 0x0056
    /// Delay Before Shutdown.
    case delayBeforeShutdown = 0x0057
    /// Test.
    case test = 0x0058
    /// Module Reset.
    case moduleReset = 0x0059
    /// Audible Alarm Control.
    case audibleAlarmControl = 0x005a
    /// Present.
    case present = 0x0060
    /// Good.
    case good = 0x0061
    /// Internal Failure.
    case internalFailure = 0x0062
    /// Voltag Out Of Range.
    case voltagOutOfRange = 0x0063
    /// Frequency Out Of Range.
    case frequencyOutOfRange = 0x0064
    /// Overload.
    case overload = 0x0065
    /// Over Charged.
    case overCharged = 0x0066
    /// Over Temperature.
    case overTemperature = 0x0067
    /// Shutdown Requested.
    case shutdownRequested = 0x0068
    /// Shutdown Imminent.
    case shutdownImminent = 0x0069
    /// Switch On/Off.
    case switchOnOrOff = 0x006b
    /// Switchable.
    case switchable = 0x006c
    /// Used.
    case used = 0x006d
    /// Boost.
    case boost = 0x006e
    /// Buck.
    case buck = 0x006f
    /// Initialized.
    case initialized = 0x0070
    /// Tested.
    case tested = 0x0071
    /// Awaiting Power.
    case awaitingPower = 0x0072
    /// Communication Lost.
    case communicationLost = 0x0073
    /// iManufacturer.
    case iManufacturer = 0x00fd
    /// iProduct.
    case iProduct = 0x00fe
    /// iSerialNumber.
    case iSerialNumber = 0x00ff
  }

  /// Page 0x0085, `batterySystem`.
  public enum BatterySystemUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0085
    /// Smart Battery Battery Mode.
    case smartBatteryBatteryMode = 0x0001
    /// Smart Battery Battery Status.
    case smartBatteryBatteryStatus = 0x0002
    /// Smart Battery Alarm Warning.
    case smartBatteryAlarmWarning = 0x0003
    /// Smart Battery Charger Mode.
    case smartBatteryChargerMode = 0x0004
    /// Smart Battery Charger Status.
    case smartBatteryChargerStatus = 0x0005
    /// Smart Battery Charger Spec Info.
    case smartBatteryChargerSpecInfo = 0x0006
    /// Smart Battery Selector State.
    case smartBatterySelectorState = 0x0007
    /// Smart Battery Selector Presets.
    case smartBatterySelectorPresets = 0x0008
    /// Smart Battery Selector Info.
    case smartBatterySelectorInfo = 0x0009
    /// Optional Mfg Function 1.
    case optionalManufacturingFunction1 = 0x0010
    /// Optional Mfg Function 2.
    case optionalManufacturingFunction2 = 0x0011
    /// Optional Mfg Function 3.
    case optionalManufacturingFunction3 = 0x0012
    /// Optional Mfg Function 4.
    case optionalManufacturingFunction4 = 0x0013
    /// Optional Mfg Function 5.
    case optionalManufacturingFunction5 = 0x0014
    /// Connection To SM Bus.
    case connectionToSMBus = 0x0015
    /// Output Connection.
    case outputConnection = 0x0016
    /// Charger Connection.
    case chargerConnection = 0x0017
    /// Battery Insertion.
    case batteryInsertion = 0x0018
    /// Use Next.
    case useNext = 0x0019
    /// OK To Use.
    case okToUse = 0x001a
    /// Battery Supported.
    case batterySupported = 0x001b
    /// Selector Revision.
    case selectorRevision = 0x001c
    /// Charging Indicator.
    case chargingIndicator = 0x001d
    /// Manufacturer Access.
    case manufacturerAccess = 0x0028
    /// Remaining Capacity Limit.
    case remainingCapacityLimit = 0x0029
    /// Remaining Time Limit.
    case remainingTimeLimit = 0x002a
    /// At Rate.
    case atRate = 0x002b
    /// Capacity Mode.
    case capacityMode = 0x002c
    /// Broadcast To Charger.
    case broadcastToCharger = 0x002d
    /// Primary Battery.
    case primaryBattery = 0x002e
    /// Charge Controller.
    case chargeController = 0x002f
    /// Terminate Charge.
    case terminateCharge = 0x0040
    /// Terminate Discharge.
    case terminateDischarge = 0x0041
    /// Below Remaining Capacity Limit.
    case belowRemainingCapacityLimit = 0x0042
    /// Remaining Time Limit Expired.
    case remainingTimeLimitExpired = 0x0043
    /// Charging.
    case charging = 0x0044
    /// Discharging.
    case discharging = 0x0045
    /// Fully Charged.
    case fullyCharged = 0x0046
    /// Fully Discharged.
    case fullyDischarged = 0x0047
    /// Conditioning Flag.
    case conditioningFlag = 0x0048
    /// At Rate OK.
    case atRateOK = 0x0049
    /// Smart Battery Error Code.
    case smartBatteryErrorCode = 0x004a
    /// Need Replacement.
    case needReplacement = 0x004b
    /// At Rate Time To Full.
    case atRateTimeToFull = 0x0060
    /// At Rate Time To Empty.
    case atRateTimeToEmpty = 0x0061
    /// Average Current.
    case averageCurrent = 0x0062
    /// Max Error.
    case maxError = 0x0063
    /// Relative State Of Charge.
    case relativeStateOfCharge = 0x0064
    /// Absolute State Of Charge.
    case absoluteStateOfCharge = 0x0065
    /// Remaining Capacity.
    case remainingCapacity = 0x0066
    /// Full Charge Capacity.
    case fullChargeCapacity = 0x0067
    /// Run Time To Empty.
    case runTimeToEmpty = 0x0068
    /// Average Time To Empty.
    case averageTimeToEmpty = 0x0069
    /// Average Time To Full.
    case averageTimeToFull = 0x006a
    /// Cycle Count.
    case cycleCount = 0x006b
    /// Battery Pack Model Level.
    case batteryPackModelLevel = 0x0080
    /// Internal Charge Controller.
    case internalChargeController = 0x0081
    /// Primary Battery Support.
    case primaryBatterySupport = 0x0082
    /// Design Capacity.
    case designCapacity = 0x0083
    /// Specification Info.
    case specificationInfo = 0x0084
    /// Manufacture Date.
    case manufactureDate = 0x0085
    /// Serial Number.
    case serialNumber = 0x0086
    /// iManufacturer Name.
    case iManufacturerName = 0x0087
    /// iDevice Name.
    case iDeviceName = 0x0088
    /// iDevice Chemistry.
    case iDeviceChemistry = 0x0089
    /// Manufacturer Data.
    case manufacturerData = 0x008a
    /// Rechargable.
    case rechargable = 0x008b
    /// Warning Capacity Limit.
    case warningCapacityLimit = 0x008c
    /// Capacity Granularity 1.
    case capacityGranularity1 = 0x008d
    /// Capacity Granularity 2.
    case capacityGranularity2 = 0x008e
    /// iOEM Information.
    case ioemInformation = 0x008f
    /// Inhibit Charge.
    case inhibitCharge = 0x00c0
    /// Enable Polling.
    case enablePolling = 0x00c1
    /// Reset To Zero.
    case resetToZero = 0x00c2
    /// AC Present.
    case acPresent = 0x00d0
    /// Battery Present.
    case batteryPresent = 0x00d1
    /// Power Fail.
    case powerFail = 0x00d2
    /// Alarm Inhibited.
    case alarmInhibited = 0x00d3
    /// Thermistor Under Range.
    case thermistorUnderRange = 0x00d4
    /// Thermistor Hot.
    case thermistorHot = 0x00d5
    /// Thermistor Cold.
    case thermistorCold = 0x00d6
    /// Thermistor Over Range.
    case thermistorOverRange = 0x00d7
    /// Voltage Out Of Range.
    case voltageOutOfRange = 0x00d8
    /// Current Out Of Range.
    case currentOutOfRange = 0x00d9
    /// Current Not Regulated.
    case currentNotRegulated = 0x00da
    /// Voltage Not Regulated.
    case voltageNotRegulated = 0x00db
    /// Master Mode.
    case masterMode = 0x00dc
    /// Charger Selector Support.
    case chargerSelectorSupport = 0x00f0
    /// Charger Spec.
    case chargerSpec = 0x00f1
    /// Level 2.
    case level2 = 0x00f2
    /// Level 3.
    case level3 = 0x00f3
  }

  /// Page 0x008c, `barcodeScanner`.
  public enum BarcodeScannerUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x008c
    /// Barcode Badge Reader.
    case barcodeBadgeReader = 0x0001
    /// Barcode Scanner.
    case barcodeScanner = 0x0002
    /// Dumb Bar Code Scanner.
    case dumbBarCodeScanner = 0x0003
    /// Cordless Scanner Base.
    case cordlessScannerBase = 0x0004
    /// Bar Code Scanner Cradle.
    case barCodeScannerCradle = 0x0005
    /// Attribute Report.
    case attributeReport = 0x0010
    /// Settings Report.
    case settingsReport = 0x0011
    /// Scanned Data Report.
    case scannedDataReport = 0x0012
    /// Raw Scanned Data Report.
    case rawScannedDataReport = 0x0013
    /// Trigger Report.
    case triggerReport = 0x0014
    /// Status Report.
    case statusReport = 0x0015
    /// UPC/EAN Control Report.
    case upcOrEANControlReport = 0x0016
    /// EAN 2/3 Label Control Report.
    case ean2Of3LabelControlReport = 0x0017
    /// Code 39 Control Report.
    case code39ControlReport = 0x0018
    /// Interleaved 2 of 5 Control Report.
    case interleaved2Of5ControlReport = 0x0019
    /// Standard 2 of 5 Control Report.
    case standard2Of5ControlReport = 0x001a
    /// MSI Plessey Control Report.
    case msiPlesseyControlReport = 0x001b
    /// Codabar Control Report.
    case codabarControlReport = 0x001c
    /// Code 128 Control Report.
    case code128ControlReport = 0x001d
    /// Misc 1D Control Report.
    case miscellaneous1DControlReport = 0x001e
    /// 2D Control Report.
    case controlReport2D = 0x001f
    /// Aiming/Pointer Mode.
    case aimingOrPointerMode = 0x0030
    /// Bar Code Present Sensor.
    case barCodePresentSensor = 0x0031
    /// Class 1A Laser.
    case class1ALaser = 0x0032
    /// Class 2 Laser.
    case class2Laser = 0x0033
    /// Heater Present.
    case heaterPresent = 0x0034
    /// Contact Scanner.
    case contactScanner = 0x0035
    /// Electronic Article Surveillance Notification.
    case electronicArticleSurveillanceNotification = 0x0036
    /// Constant Electronic Article Surveillance.
    case constantElectronicArticleSurveillance = 0x0037
    /// Error Indication.
    case errorIndication = 0x0038
    /// Fixed Beeper.
    case fixedBeeper = 0x0039
    /// Good Decode Indication.
    case goodDecodeIndication = 0x003a
    /// Hands Free Scanning.
    case handsFreeScanning = 0x003b
    /// Intrinsically Safe.
    case intrinsicallySafe = 0x003c
    /// Klasse Eins Laser.
    case klasseEinsLaser = 0x003d
    /// Long Range Scanner.
    case longRangeScanner = 0x003e
    /// Mirror Speed Control.
    case mirrorSpeedControl = 0x003f
    /// Not On File Indication.
    case notOnFileIndication = 0x0040
    /// Programmable Beeper.
    case programmableBeeper = 0x0041
    /// Triggerless.
    case triggerless = 0x0042
    /// Wand.
    case wand = 0x0043
    /// Water Resistant.
    case waterResistant = 0x0044
    /// Multi-Range Scanner.
    case multiRangeScanner = 0x0045
    /// Proximity Sensor.
    case proximitySensor = 0x0046
    /// Fragment Decoding.
    case fragmentDecoding = 0x004d
    /// Scanner Read Confidence.
    case scannerReadConfidence = 0x004e
    /// Data Prefix.
    case dataPrefix = 0x004f
    /// Prefix AIMI.
    case prefixAIMI = 0x0050
    /// Prefix None.
    case prefixNone = 0x0051
    /// Prefix Proprietary.
    case prefixProprietary = 0x0052
    /// Active Time.
    case activeTime = 0x0055
    /// Aiming Laser Pattern.
    case aimingLaserPattern = 0x0056
    /// Bar Code Present.
    case barCodePresent = 0x0057
    /// Beeper State.
    case beeperState = 0x0058
    /// Laser On Time.
    case laserOnTime = 0x0059
    /// Laser State.
    case laserState = 0x005a
    /// Lockout Time.
    case lockoutTime = 0x005b
    /// Motor State.
    case motorState = 0x005c
    /// Motor Timeout.
    case motorTimeout = 0x005d
    /// Power On Reset Scanner.
    case powerOnResetScanner = 0x005e
    /// Prevent Read of Barcodes.
    case preventReadOfBarcodes = 0x005f
    /// Initiate Barcode Read.
    case initiateBarcodeRead = 0x0060
    /// Trigger State.
    case triggerState = 0x0061
    /// Trigger Mode.
    case triggerMode = 0x0062
    /// Trigger Mode Blinking Laser On.
    case triggerModeBlinkingLaserOn = 0x0063
    /// Trigger Mode Continuous Laser On.
    case triggerModeContinuousLaserOn = 0x0064
    /// Trigger Mode Laser on while Pulled.
    case triggerModeLaserOnWhilePulled = 0x0065
    /// Trigger Mode Laser stays on after release.
    case triggerModeLaserStaysOnAfterRelease = 0x0066
    /// Commit Parameters to NVM.
    case commitParametersToNVM = 0x006d
    /// Parameter Scanning.
    case parameterScanning = 0x006e
    /// Parameters Changed.
    case parametersChanged = 0x006f
    /// Set parameter default values.
    case setParameterDefaultValues = 0x0070
    /// Scanner In Cradle.
    case scannerInCradle = 0x0075
    /// Scanner In Range.
    case scannerInRange = 0x0076
    /// Aim Duration.
    case aimDuration = 0x007a
    /// Good Read Lamp Duration.
    case goodReadLampDuration = 0x007b
    /// Good Read Lamp Intensity.
    case goodReadLampIntensity = 0x007c
    /// Good Read LED.
    case goodReadLED = 0x007d
    /// Good Read Tone Frequency.
    case goodReadToneFrequency = 0x007e
    /// Good Read Tone Length.
    case goodReadToneLength = 0x007f
    /// Good Read Tone Volume.
    case goodReadToneVolume = 0x0080
    /// No Read Message.
    case noReadMessage = 0x0082
    /// Not on File Volume.
    case notOnFileVolume = 0x0083
    /// Powerup Beep.
    case powerupBeep = 0x0084
    /// Sound Error Beep.
    case soundErrorBeep = 0x0085
    /// Sound Good Read Beep.
    case soundGoodReadBeep = 0x0086
    /// Sound Not On File Beep.
    case soundNotOnFileBeep = 0x0087
    /// Good Read When to Write.
    case goodReadWhenToWrite = 0x0088
    /// GRWTI After Decode.
    case grwtiAfterDecode = 0x0089
    /// GRWTI Beep/Lamp after transmit.
    case grwtiBeepOrLampAfterTransmit = 0x008a
    /// GRWTI No Beep/Lamp use at all.
    case grwtiNoBeepOrLampUseAtAll = 0x008b
    /// Bookland EAN.
    case booklandEAN = 0x0091
    /// Convert EAN 8 to 13 Type.
    case convertEAN8To13Type = 0x0092
    /// Convert UPC A to EAN-13.
    case convertUPCAToEAN13 = 0x0093
    /// Convert UPC-E to A.
    case convertUPCEToA = 0x0094
    /// EAN-13.
    case ean13 = 0x0095
    /// EAN-8.
    case ean8 = 0x0096
    /// EAN-99 128 Mandatory.
    case ean99128Mandatory = 0x0097
    /// EAN-99 P5/128 Optional.
    case ean99P5Or128Optional = 0x0098
    /// Enable EAN Two Label.
    case enableEANTwoLabel = 0x0099
    /// UPC/EAN.
    case upcOrEAN = 0x009a
    /// UPC/EAN Coupon Code.
    case upcOrEANCouponCode = 0x009b
    /// UPC/EAN Periodicals.
    case upcOrEANPeriodicals = 0x009c
    /// UPC-A.
    case upcA = 0x009d
    /// UPC-A with 128 Mandatory.
    case upcAWith128Mandatory = 0x009e
    /// UPC-A with 128 Optional.
    case upcAWith128Optional = 0x009f
    /// UPC-A with P5 Optional.
    case upcAWithP5Optional = 0x00a0
    /// UPC-E.
    case upcE = 0x00a1
    /// UPC-E1.
    case upcE1 = 0x00a2
    /// Periodical.
    case periodical = 0x00a9
    /// Periodical Auto-Discriminate +2.
    case periodicalAutoDiscriminatePlus2 = 0x00aa
    /// Periodical Only Decode with +2.
    case periodicalOnlyDecodeWithPlus2 = 0x00ab
    /// Periodical Ignore +2.
    case periodicalIgnorePlus2 = 0x00ac
    /// Periodical Auto-Discriminate +5.
    case periodicalAutoDiscriminatePlus5 = 0x00ad
    /// Periodical Only Decode with +5.
    case periodicalOnlyDecodeWithPlus5 = 0x00ae
    /// Periodical Ignore +5.
    case periodicalIgnorePlus5 = 0x00af
    /// Check.
    case check = 0x00b0
    /// Check Disable Price.
    case checkDisablePrice = 0x00b1
    /// Check Enable 4 digit Price.
    case checkEnable4DigitPrice = 0x00b2
    /// Check Enable 5 digit Price.
    case checkEnable5DigitPrice = 0x00b3
    /// Check Enable European 4 digit Price.
    case checkEnableEuropean4DigitPrice = 0x00b4
    /// Check Enable European 5 digit Price.
    case checkEnableEuropean5DigitPrice = 0x00b5
    /// EAN Two Label.
    case eanTwoLabel = 0x00b7
    /// EAN Three Label.
    case eanThreeLabel = 0x00b8
    /// EAN 8 Flag Digit 1.
    case ean8FlagDigit1 = 0x00b9
    /// EAN 8 Flag Digit 2.
    case ean8FlagDigit2 = 0x00ba
    /// EAN 8 Flag Digit 3.
    case ean8FlagDigit3 = 0x00bb
    /// EAN 13 Flag Digit 1.
    case ean13FlagDigit1 = 0x00bc
    /// EAN 13 Flag Digit 2.
    case ean13FlagDigit2 = 0x00bd
    /// EAN 13 Flag Digit 3.
    case ean13FlagDigit3 = 0x00be
    /// Add EAN 2/3 Label Definition.
    case addEAN2Of3LabelDefinition = 0x00bf
    /// Clear all EAN 2/3 Label Definitions.
    case clearAllEAN2Of3LabelDefinitions = 0x00c0
    /// Codabar.
    case codabar = 0x00c3
    /// Code 128.
    case code128 = 0x00c4
    /// Code 39.
    case code39 = 0x00c7
    /// Code 93.
    case code93 = 0x00c8
    /// Full ASCII Conversion.
    case fullASCIIConversion = 0x00c9
    /// Interleaved 2 of 5.
    case interleaved2Of5 = 0x00ca
    /// Italian Pharmacy Code.
    case italianPharmacyCode = 0x00cb
    /// MSI/Plessey.
    case msiOrPlessey = 0x00cc
    /// Standard 2 of 5 IATA.
    case standard2Of5IATA = 0x00cd
    /// Standard 2 of 5.
    case standard2Of5 = 0x00ce
    /// Transmit Start/Stop.
    case transmitStartOrStop = 0x00d3
    /// Tri-Optic.
    case triOptic = 0x00d4
    /// UCC/EAN-128.
    case uccOrEAN128 = 0x00d5
    /// Check Digit.
    case checkDigit = 0x00d6
    /// Check Digit Disable.
    case checkDigitDisable = 0x00d7
    /// Check Digit Enable Interleaved 2 of 5 OPCC.
    case checkDigitEnableInterleaved2Of5OPCC = 0x00d8
    /// Check Digit Enable Interleaved 2 of 5 USS.
    case checkDigitEnableInterleaved2Of5USS = 0x00d9
    /// Check Digit Enable Standard 2 of 5 OPCC.
    case checkDigitEnableStandard2Of5OPCC = 0x00da
    /// Check Digit Enable Standard 2 of 5 USS.
    case checkDigitEnableStandard2Of5USS = 0x00db
    /// Check Digit Enable One MSI Plessey.
    case checkDigitEnableOneMSIPlessey = 0x00dc
    /// Check Digit Enable Two MSI Plessey.
    case checkDigitEnableTwoMSIPlessey = 0x00dd
    /// Check Digit Codabar Enable.
    case checkDigitCodabarEnable = 0x00de
    /// Check Digit Code 39 Enable.
    case checkDigitCode39Enable = 0x00df
    /// Transmit Check Digit.
    case transmitCheckDigit = 0x00f0
    /// Disable Check Digit Transmit.
    case disableCheckDigitTransmit = 0x00f1
    /// Enable Check Digit Transmit.
    case enableCheckDigitTransmit = 0x00f2
    /// Symbology Identifier 1.
    case symbologyIdentifier1 = 0x00fb
    /// Symbology Identifier 2.
    case symbologyIdentifier2 = 0x00fc
    /// Symbology Identifier 3.
    case symbologyIdentifier3 = 0x00fd
    /// Decoded Data.
    case decodedData = 0x00fe
    /// Decode Data Continued.
    case decodeDataContinued = 0x00ff
    /// Bar Space Data.
    case barSpaceData = 0x0100
    /// Scanner Data Accuracy.
    case scannerDataAccuracy = 0x0101
    /// Raw Data Polarity.
    case rawDataPolarity = 0x0102
    /// Polarity Inverted Bar Code.
    case polarityInvertedBarCode = 0x0103
    /// Polarity Normal Bar Code.
    case polarityNormalBarCode = 0x0104
    /// Minimum Length to Decode.
    case minimumLengthToDecode = 0x0106
    /// Maximum Length to Decode.
    case maximumLengthToDecode = 0x0107
    /// Discrete Length to Decode 1.
    case discreteLengthToDecode1 = 0x0108
    /// Discrete Length to Decode 2.
    case discreteLengthToDecode2 = 0x0109
    /// Data Length Method.
    case dataLengthMethod = 0x010a
    /// DL Method Read any.
    case dlMethodReadAny = 0x010b
    /// DL Method Check in Range.
    case dlMethodCheckInRange = 0x010c
    /// DL Method Check for Discrete.
    case dlMethodCheckForDiscrete = 0x010d
    /// Aztec Code.
    case aztecCode = 0x0110
    /// BC412.
    case bc412 = 0x0111
    /// Channel Code.
    case channelCode = 0x0112
    /// Code 16.
    case code16 = 0x0113
    /// Code 32.
    case code32 = 0x0114
    /// Code 49.
    case code49 = 0x0115
    /// Code One.
    case codeOne = 0x0116
    /// Colorcode.
    case colorcode = 0x0117
    /// Data Matrix.
    case dataMatrix = 0x0118
    /// MaxiCode.
    case maxiCode = 0x0119
    /// MicroPDF.
    case microPDF = 0x011a
    /// PDF-417.
    case pdf417 = 0x011b
    /// PosiCode.
    case posiCode = 0x011c
    /// QR Code.
    case qrCode = 0x011d
    /// SuperCode.
    case superCode = 0x011e
    /// UltraCode.
    case ultraCode = 0x011f
    /// USD-5 (Slug Code).
    case usd5SlugCode = 0x0120
    /// VeriCode.
    case veriCode = 0x0121
  }

  /// Page 0x008d, `scales`.
  public enum ScalesUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x008d
    /// Scales.
    case scales = 0x0001
    /// Scale Device.
    case scaleDevice = 0x0020
    /// Scale Class.
    case scaleClass = 0x0021
    /// Scale Class I Metric.
    case scaleClassIMetric = 0x0022
    /// Scale Class II Metric.
    case scaleClassIIMetric = 0x0023
    /// Scale Class III Metric.
    case scaleClassIIIMetric = 0x0024
    /// Scale Class IIIL Metric.
    case scaleClassIIILMetric = 0x0025
    /// Scale Class IV Metric.
    case scaleClassIVMetric = 0x0026
    /// Scale Class III English.
    case scaleClassIIIEnglish = 0x0027
    /// Scale Class IIIL English.
    case scaleClassIIILEnglish = 0x0028
    /// Scale Class IV English.
    case scaleClassIVEnglish = 0x0029
    /// Scale Class Generic.
    case scaleClassGeneric = 0x002a
    /// Scale Attribute Report.
    case scaleAttributeReport = 0x0030
    /// Scale Control Report.
    case scaleControlReport = 0x0031
    /// Scale Data Report.
    case scaleDataReport = 0x0032
    /// Scale Status Report.
    case scaleStatusReport = 0x0033
    /// Scale Weight Limit Report.
    case scaleWeightLimitReport = 0x0034
    /// Scale Statistics Report.
    case scaleStatisticsReport = 0x0035
    /// Data Weight.
    case dataWeight = 0x0040
    /// Data Scaling.
    case dataScaling = 0x0041
    /// Weight Unit.
    case weightUnit = 0x0050
    /// Weight Unit Milligram.
    case weightUnitMilligram = 0x0051
    /// Weight Unit Gram.
    case weightUnitGram = 0x0052
    /// Weight Unit Kilogram.
    case weightUnitKilogram = 0x0053
    /// Weight Unit Carats.
    case weightUnitCarats = 0x0054
    /// Weight Unit Taels.
    case weightUnitTaels = 0x0055
    /// Weight Unit Grains.
    case weightUnitGrains = 0x0056
    /// Weight Unit Pennyweights.
    case weightUnitPennyweights = 0x0057
    /// Weight Unit Metric Ton.
    case weightUnitMetricTon = 0x0058
    /// Weight Unit Avoir Ton.
    case weightUnitAvoirTon = 0x0059
    /// Weight Unit Troy Ounce.
    case weightUnitTroyOunce = 0x005a
    /// Weight Unit Ounce.
    case weightUnitOunce = 0x005b
    /// Weight Unit Pound.
    case weightUnitPound = 0x005c
    /// Calibration Count.
    case calibrationCount = 0x0060
    /// Re-Zero Count.
    case reZeroCount = 0x0061
    /// Scale Status.
    case scaleStatus = 0x0070
    /// Scale Status Fault.
    case scaleStatusFault = 0x0071
    /// Scale Status Stable at Center of Zero.
    case scaleStatusStableAtCenterOfZero = 0x0072
    /// Scale Status In Motion.
    case scaleStatusInMotion = 0x0073
    /// Scale Status Weight Stable.
    case scaleStatusWeightStable = 0x0074
    /// Scale Status Under Zero.
    case scaleStatusUnderZero = 0x0075
    /// Scale Status Over Weight Limit.
    case scaleStatusOverWeightLimit = 0x0076
    /// Scale Status Requires Calibration.
    case scaleStatusRequiresCalibration = 0x0077
    /// Scale Status Requires Rezeroing.
    case scaleStatusRequiresRezeroing = 0x0078
    /// Zero Scale.
    case zeroScale = 0x0080
    /// Enforced Zero Return.
    case enforcedZeroReturn = 0x0081
  }

  /// Page 0x008e, `magneticStripeReader`.
  public enum MagneticStripeReaderUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x008e
    /// MSR Device Read-Only.
    case msrDeviceReadOnly = 0x0001
    /// Track 1 Length.
    case track1Length = 0x0011
    /// Track 2 Length.
    case track2Length = 0x0012
    /// Track 3 Length.
    case track3Length = 0x0013
    /// Track JIS Length.
    case trackJISLength = 0x0014
    /// Track Data.
    case trackData = 0x0020
    /// Track 1 Data.
    case track1Data = 0x0021
    /// Track 2 Data.
    case track2Data = 0x0022
    /// Track 3 Data.
    case track3Data = 0x0023
    /// Track JIS Data.
    case trackJISData = 0x0024
  }

  /// Page 0x0090, `cameraControl`.
  public enum CameraControlUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0090
    /// Camera Auto-focus.
    case cameraAutoFocus = 0x0020
    /// Camera Shutter.
    case cameraShutter = 0x0021
  }

  /// Page 0x0091, `arcade`.
  public enum ArcadeUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0x0091
    /// General Purpose IO Card.
    case generalPurposeIOCard = 0x0001
    /// Coin Door.
    case coinDoor = 0x0002
    /// Watchdog Timer.
    case watchdogTimer = 0x0003
    /// General Purpose Analog Input State.
    case generalPurposeAnalogInputState = 0x0030
    /// General Purpose Digital Input State.
    case generalPurposeDigitalInputState = 0x0031
    /// General Purpose Optical Input State.
    case generalPurposeOpticalInputState = 0x0032
    /// General Purpose Digital Output State.
    case generalPurposeDigitalOutputState = 0x0033
    /// Number of Coin Doors.
    case numberOfCoinDoors = 0x0034
    /// Coin Drawer Drop Count.
    case coinDrawerDropCount = 0x0035
    /// Coin Drawer Start.
    case coinDrawerStart = 0x0036
    /// Coin Drawer Service.
    case coinDrawerService = 0x0037
    /// Coin Drawer Tilt.
    case coinDrawerTilt = 0x0038
    /// Coin Door Test.
    case coinDoorTest = 0x0039
    /// Coin Door Lockout.
    case coinDoorLockout = 0x0040
    /// Watchdog Timeout.
    case watchdogTimeout = 0x0041
    /// Watchdog Action.
    case watchdogAction = 0x0042
    /// Watchdog Reboot.
    case watchdogReboot = 0x0043
    /// Watchdog Restart.
    case watchdogRestart = 0x0044
    /// Alarm Input.
    case alarmInput = 0x0045
    /// Coin Door Counter.
    case coinDoorCounter = 0x0046
    /// I/O Direction Mapping.
    case ioDirectionMapping = 0x0047
    /// Set I/O Direction Mapping.
    case setIODirectionMapping = 0x0048
    /// Extended Optical Input State.
    case extendedOpticalInputState = 0x0049
    /// Pin Pad Input State.
    case pinPadInputState = 0x004a
    /// Pin Pad Status.
    case pinPadStatus = 0x004b
    /// Pin Pad Output.
    case pinPadOutput = 0x004c
    /// Pin Pad Command.
    case pinPadCommand = 0x004d
  }

  /// Page 0xf1d0, `fidoAlliance`.
  public enum FIDOAllianceUsage: UInt16, Sendable {
    /// The number of the usage page.
    public static let page: UInt16 = 0xf1d0
    /// U2F Authenticator Device.
    case u2fAuthenticatorDevice = 0x0001
    /// Input Report Data.
    case inputReportData = 0x0020
    /// Output Report Data.
    case outputReportData = 0x0021
  }
}
