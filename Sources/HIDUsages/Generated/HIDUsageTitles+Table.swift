// Generated from usages.tsv by scripts/generate-usages. Do not edit.
// SPDX-License-Identifier: Apache-2.0

extension HIDUsageTitles {
  /// Every page and usage with its title: `@page title`, then `ID title` for each of its usages.
  ///
  /// ASCII only; one literal, because arrays of this length cost the compiler seconds.
  static let table = """
    @0001 Generic Desktop
    0001 Pointer
    0002 Mouse
    0004 Joystick
    0005 Gamepad
    0006 Keyboard
    0007 Keypad
    0008 Multi-axis Controller
    0009 Tablet PC System Controls
    000a Water Cooling Device
    000b Computer Chassis Device
    000c Wireless Radio Controls
    000d Portable Device Control
    000e System Multi-Axis Controller
    000f Spatial Controller
    0010 Assistive Control
    0011 Device Dock
    0012 Dockable Device
    0013 Call State Management Control
    0030 X
    0031 Y
    0032 Z
    0033 Rx
    0034 Ry
    0035 Rz
    0036 Slider
    0037 Dial
    0038 Wheel
    0039 Hat Switch
    003a Counted Buffer
    003b Byte Count
    003c Motion Wakeup
    003d Start
    003e Select
    0040 Vx
    0041 Vy
    0042 Vz
    0043 Vbrx
    0044 Vbry
    0045 Vbrz
    0046 Vno
    0047 Feature Notification
    0048 Resolution Multiplier
    0049 Qx
    004a Qy
    004b Qz
    004c Qw
    0080 System Control
    0081 System Power Down
    0082 System Sleep
    0083 System Wake Up
    0084 System Context Menu
    0085 System Main Menu
    0086 System App Menu
    0087 System Menu Help
    0088 System Menu Exit
    0089 System Menu Select
    008a System Menu Right
    008b System Menu Left
    008c System Menu Up
    008d System Menu Down
    008e System Cold Restart
    008f System Warm Restart
    0090 D-pad Up
    0091 D-pad Down
    0092 D-pad Right
    0093 D-pad Left
    0094 Index Trigger
    0095 Palm Trigger
    0096 Thumbstick
    0097 System Function Shift
    0098 System Function Shift Lock
    0099 System Function Shift Lock Indicator
    009a System Dismiss Notification
    009b System Do Not Disturb
    00a0 System Dock
    00a1 System Undock
    00a2 System Setup
    00a3 System Break
    00a4 System Debugger Break
    00a5 Application Break
    00a6 Application Debugger Break
    00a7 System Speaker Mute
    00a8 System Hibernate
    00a9 System Microphone Mute
    00b0 System Display Invert
    00b1 System Display Internal
    00b2 System Display External
    00b3 System Display Both
    00b4 System Display Dual
    00b5 System Display Toggle Int/Ext Mode
    00b6 System Display Swap Primary/Secondary
    00b7 System Display Toggle LCD Autoscale
    00c0 Sensor Zone
    00c1 RPM
    00c2 Coolant Level
    00c3 Coolant Critical Level
    00c4 Coolant Pump
    00c5 Chassis Enclosure
    00c6 Wireless Radio Button
    00c7 Wireless Radio LED
    00c8 Wireless Radio Slider Switch
    00c9 System Display Rotation Lock Button
    00ca System Display Rotation Lock Slider Switch
    00cb Control Enable
    00d0 Dockable Device Unique ID
    00d1 Dockable Device Vendor ID
    00d2 Dockable Device Primary Usage Page
    00d3 Dockable Device Primary Usage ID
    00d4 Dockable Device Docking State
    00d5 Dockable Device Display Occlusion
    00d6 Dockable Device Object Type
    00e0 Call Active LED
    00e1 Call Mute Toggle
    00e2 Call Mute LED
    @0002 Simulation Controls
    0001 Flight Simulation Device
    0002 Automobile Simulation Device
    0003 Tank Simulation Device
    0004 Spaceship Simulation Device
    0005 Submarine Simulation Device
    0006 Sailing Simulation Device
    0007 Motorcycle Simulation Device
    0008 Sports Simulation Device
    0009 Airplane Simulation Device
    000a Helicopter Simulation Device
    000b Magic Carpet Simulation Device
    000c Bicycle Simulation Device
    0020 Flight Control Stick
    0021 Flight Stick
    0022 Cyclic Control
    0023 Cyclic Trim
    0024 Flight Yoke
    0025 Track Control
    00b0 Aileron
    00b1 Aileron Trim
    00b2 Anti-Torque Control
    00b3 Autopilot Enable
    00b4 Chaff Release
    00b5 Collective Control
    00b6 Dive Brake
    00b7 Electronic Countermeasures
    00b8 Elevator
    00b9 Elevator Trim
    00ba Rudder
    00bb Throttle
    00bc Flight Communications
    00bd Flare Release
    00be Landing Gear
    00bf Toe Brake
    00c0 Trigger
    00c1 Weapons Arm
    00c2 Weapons Select
    00c3 Wing Flaps
    00c4 Accelerator
    00c5 Brake
    00c6 Clutch
    00c7 Shifter
    00c8 Steering
    00c9 Turret Direction
    00ca Barrel Elevation
    00cb Dive Plane
    00cc Ballast
    00cd Bicycle Crank
    00ce Handle Bars
    00cf Front Brake
    00d0 Rear Brake
    @0003 VR Controls
    0001 Belt
    0002 Body Suit
    0003 Flexor
    0004 Glove
    0005 Head Tracker
    0006 Head Mounted Display
    0007 Hand Tracker
    0008 Oculometer
    0009 Vest
    000a Animatronic Device
    0020 Stereo Enable
    0021 Display Enable
    @0004 Sport Controls
    0001 Baseball Bat
    0002 Golf Club
    0003 Rowing Machine
    0004 Treadmill
    0030 Oar
    0031 Slope
    0032 Rate
    0033 Stick Speed
    0034 Stick Face Angle
    0035 Stick Heel/Toe
    0036 Stick Follow Through
    0037 Stick Tempo
    0038 Stick Type
    0039 Stick Height
    0050 Putter
    0051 1 Iron
    0052 2 Iron
    0053 3 Iron
    0054 4 Iron
    0055 5 Iron
    0056 6 Iron
    0057 7 Iron
    0058 8 Iron
    0059 9 Iron
    005a 10 Iron
    005b 11 Iron
    005c Sand Wedge
    005d Loft Wedge
    005e Power Wedge
    005f 1 Wood
    0060 3 Wood
    0061 5 Wood
    0062 7 Wood
    0063 9 Wood
    @0005 Game Controls
    0001 3D Game Controller
    0002 Pinball Device
    0003 Gun Device
    0020 Point of View
    0021 Turn Right/Left
    0022 Pitch Forward/Backward
    0023 Roll Right/Left
    0024 Move Right/Left
    0025 Move Forward/Backward
    0026 Move Up/Down
    0027 Lean Right/Left
    0028 Lean Forward/Backward
    0029 Height of POV
    002a Flipper
    002b Secondary Flipper
    002c Bump
    002d New Game
    002e Shoot Ball
    002f Player
    0030 Gun Bolt
    0031 Gun Clip
    0032 Gun Selector
    0033 Gun Single Shot
    0034 Gun Burst
    0035 Gun Automatic
    0036 Gun Safety
    0037 Gamepad Fire/Jump
    0039 Gamepad Trigger
    003a Form-fitting Gamepad
    @0006 Generic Device Controls
    0001 Background/Nonuser Controls
    0020 Battery Strength
    0021 Wireless Channel
    0022 Wireless ID
    0023 Discover Wireless Control
    0024 Security Code Character Entered
    0025 Security Code Character Erased
    0026 Security Code Cleared
    0027 Sequence ID
    0028 Sequence ID Reset
    0029 RF Signal Strength
    002a Software Version
    002b Protocol Version
    002c Hardware Version
    002d Major
    002e Minor
    002f Revision
    0030 Handedness
    0031 Either Hand
    0032 Left Hand
    0033 Right Hand
    0034 Both Hands
    0040 Grip Pose Offset
    0041 Pointer Pose Offset
    @0007 Keyboard/Keypad
    0001 ErrorRollOver
    0002 POSTFail
    0003 ErrorUndefined
    0004 Keyboard A
    0005 Keyboard B
    0006 Keyboard C
    0007 Keyboard D
    0008 Keyboard E
    0009 Keyboard F
    000a Keyboard G
    000b Keyboard H
    000c Keyboard I
    000d Keyboard J
    000e Keyboard K
    000f Keyboard L
    0010 Keyboard M
    0011 Keyboard N
    0012 Keyboard O
    0013 Keyboard P
    0014 Keyboard Q
    0015 Keyboard R
    0016 Keyboard S
    0017 Keyboard T
    0018 Keyboard U
    0019 Keyboard V
    001a Keyboard W
    001b Keyboard X
    001c Keyboard Y
    001d Keyboard Z
    001e Keyboard 1 and Bang
    001f Keyboard 2 and At
    0020 Keyboard 3 and Hash
    0021 Keyboard 4 and Dollar
    0022 Keyboard 5 and Percent
    0023 Keyboard 6 and Caret
    0024 Keyboard 7 and Ampersand
    0025 Keyboard 8 and Star
    0026 Keyboard 9 and Left Bracket
    0027 Keyboard 0 and Right Bracket
    0028 Keyboard Return Enter
    0029 Keyboard Escape
    002a Keyboard Delete
    002b Keyboard Tab
    002c Keyboard Spacebar
    002d Keyboard Dash and Underscore
    002e Keyboard Equals and Plus
    002f Keyboard Left Brace
    0030 Keyboard Right Brace
    0031 Keyboard Backslash and Pipe
    0032 Keyboard Non-US Hash and Tilde
    0033 Keyboard SemiColon and Colon
    0034 Keyboard Left Apos and Double
    0035 Keyboard Grave Accent and Tilde
    0036 Keyboard Comma and LessThan
    0037 Keyboard Period and GreaterThan
    0038 Keyboard ForwardSlash and QuestionMark
    0039 Keyboard Caps Lock
    003a Keyboard F1
    003b Keyboard F2
    003c Keyboard F3
    003d Keyboard F4
    003e Keyboard F5
    003f Keyboard F6
    0040 Keyboard F7
    0041 Keyboard F8
    0042 Keyboard F9
    0043 Keyboard F10
    0044 Keyboard F11
    0045 Keyboard F12
    0046 Keyboard PrintScreen
    0047 Keyboard Scroll Lock
    0048 Keyboard Pause
    0049 Keyboard Insert
    004a Keyboard Home
    004b Keyboard PageUp
    004c Keyboard Delete Forward
    004d Keyboard End
    004e Keyboard PageDown
    004f Keyboard RightArrow
    0050 Keyboard LeftArrow
    0051 Keyboard DownArrow
    0052 Keyboard UpArrow
    0053 Keypad Num Lock and Clear
    0054 Keypad ForwardSlash
    0055 Keypad Star
    0056 Keypad Dash
    0057 Keypad Plus
    0058 Keypad ENTER
    0059 Keypad 1 and End
    005a Keypad 2 and Down Arrow
    005b Keypad 3 and PageDn
    005c Keypad 4 and Left Arrow
    005d Keypad 5
    005e Keypad 6 and Right Arrow
    005f Keypad 7 and Home
    0060 Keypad 8 and Up Arrow
    0061 Keypad 9 and PageUp
    0062 Keypad 0 and Insert
    0063 Keypad Period and Delete
    0064 Keyboard Non-US Backslash and Pipe
    0065 Keyboard Application
    0066 Keyboard Power
    0067 Keypad Equals
    0068 Keyboard F13
    0069 Keyboard F14
    006a Keyboard F15
    006b Keyboard F16
    006c Keyboard F17
    006d Keyboard F18
    006e Keyboard F19
    006f Keyboard F20
    0070 Keyboard F21
    0071 Keyboard F22
    0072 Keyboard F23
    0073 Keyboard F24
    0074 Keyboard Execute
    0075 Keyboard Help
    0076 Keyboard Menu
    0077 Keyboard Select
    0078 Keyboard Stop
    0079 Keyboard Again
    007a Keyboard Undo
    007b Keyboard Cut
    007c Keyboard Copy
    007d Keyboard Paste
    007e Keyboard Find
    007f Keyboard Mute
    0080 Keyboard Volume Up
    0081 Keyboard Volume Down
    0082 Keyboard Locking Caps Lock
    0083 Keyboard Locking Num Lock
    0084 Keyboard Locking Scroll Lock
    0085 Keypad Comma
    0086 Keypad Equal Sign
    0087 Keyboard International1
    0088 Keyboard International2
    0089 Keyboard International3
    008a Keyboard International4
    008b Keyboard International5
    008c Keyboard International6
    008d Keyboard International7
    008e Keyboard International8
    008f Keyboard International9
    0090 Keyboard LANG1
    0091 Keyboard LANG2
    0092 Keyboard LANG3
    0093 Keyboard LANG4
    0094 Keyboard LANG5
    0095 Keyboard LANG6
    0096 Keyboard LANG7
    0097 Keyboard LANG8
    0098 Keyboard LANG9
    0099 Keyboard Alternate Erase
    009a Keyboard SysReq Attention
    009b Keyboard Cancel
    009c Keyboard Clear
    009d Keyboard Prior
    009e Keyboard Return
    009f Keyboard Separator
    00a0 Keyboard Out
    00a1 Keyboard Oper
    00a2 Keyboard Clear Again
    00a3 Keyboard CrSel Props
    00a4 Keyboard ExSel
    00b0 Keypad Double 0
    00b1 Keypad Triple 0
    00b2 Thousands Separator
    00b3 Decimal Separator
    00b4 Currency Unit
    00b5 Currency Sub-unit
    00b6 Keypad Left Bracket
    00b7 Keypad Right Bracket
    00b8 Keypad Left Brace
    00b9 Keypad Right Brace
    00ba Keypad Tab
    00bb Keypad Backspace
    00bc Keypad A
    00bd Keypad B
    00be Keypad C
    00bf Keypad D
    00c0 Keypad E
    00c1 Keypad F
    00c2 Keypad XOR
    00c3 Keypad Caret
    00c4 Keypad Percentage
    00c5 Keypad Less
    00c6 Keypad Greater
    00c7 Keypad Ampersand
    00c8 Keypad Double Ampersand
    00c9 Keypad Bar
    00ca Keypad Double Bar
    00cb Keypad Colon
    00cc Keypad Hash
    00cd Keypad Space
    00ce Keypad At
    00cf Keypad Bang
    00d0 Keypad Memory Store
    00d1 Keypad Memory Recall
    00d2 Keypad Memory Clear
    00d3 Keypad Memory Add
    00d4 Keypad Memory Subtract
    00d5 Keypad Memory Multiply
    00d6 Keypad Memory Divide
    00d7 Keypad Plus Minus
    00d8 Keypad Clear
    00d9 Keypad Clear Entry
    00da Keypad Binary
    00db Keypad Octal
    00dc Keypad Decimal
    00dd Keypad Hexadecimal
    00e0 Keyboard LeftControl
    00e1 Keyboard LeftShift
    00e2 Keyboard LeftAlt
    00e3 Keyboard Left GUI
    00e4 Keyboard RightControl
    00e5 Keyboard RightShift
    00e6 Keyboard RightAlt
    00e7 Keyboard Right GUI
    @0008 LED
    0001 Num Lock
    0002 Caps Lock
    0003 Scroll Lock
    0004 Compose
    0005 Kana
    0006 Power
    0007 Shift
    0008 Do Not Disturb
    0009 Mute
    000a Tone Enable
    000b High Cut Filter
    000c Low Cut Filter
    000d Equalizer Enable
    000e Sound Field On
    000f Surround On
    0010 Repeat
    0011 Stereo
    0012 Sampling Rate Detect
    0013 Spinning
    0014 CAV
    0015 CLV
    0016 Recording Format Detect
    0017 Off-Hook
    0018 Ring
    0019 Message Waiting
    001a Data Mode
    001b Battery Operation
    001c Battery OK
    001d Battery Low
    001e Speaker
    001f Headset
    0020 Hold
    0021 Microphone
    0022 Coverage
    0023 Night Mode
    0024 Send Calls
    0025 Call Pickup
    0026 Conference
    0027 Stand-by
    0028 Camera On
    0029 Camera Off
    002a On-Line
    002b Off-Line
    002c Busy
    002d Ready
    002e Paper-Out
    002f Paper-Jam
    0030 Remote
    0031 Forward
    0032 Reverse
    0033 Stop
    0034 Rewind
    0035 Fast Forward
    0036 Play
    0037 Pause
    0038 Record
    0039 Error
    003a Usage Selected Indicator
    003b Usage In Use Indicator
    003c Usage Multi Mode Indicator
    003d Indicator On
    003e Indicator Flash
    003f Indicator Slow Blink
    0040 Indicator Fast Blink
    0041 Indicator Off
    0042 Flash On Time
    0043 Slow Blink On Time
    0044 Slow Blink Off Time
    0045 Fast Blink On Time
    0046 Fast Blink Off Time
    0047 Usage Indicator Color
    0048 Indicator Red
    0049 Indicator Green
    004a Indicator Amber
    004b Generic Indicator
    004c System Suspend
    004d External Power Connected
    004e Indicator Blue
    004f Indicator Orange
    0050 Good Status
    0051 Warning Status
    0052 RGB LED
    0053 Red LED Channel
    0054 Blue LED Channel
    0055 Green LED Channel
    0056 LED Intensity
    0057 System Microphone Mute
    0060 Player Indicator
    0061 Player 1
    0062 Player 2
    0063 Player 3
    0064 Player 4
    0065 Player 5
    0066 Player 6
    0067 Player 7
    0068 Player 8
    @0009 Button
    @000a Ordinal
    @000b Telephony Device
    0001 Phone
    0002 Answering Machine
    0003 Message Controls
    0004 Handset
    0005 Headset
    0006 Telephony Key Pad
    0007 Programmable Button
    0020 Hook Switch
    0021 Flash
    0022 Feature
    0023 Hold
    0024 Redial
    0025 Transfer
    0026 Drop
    0027 Park
    0028 Forward Calls
    0029 Alternate Function
    002a Line
    002b Speaker Phone
    002c Conference
    002d Ring Enable
    002e Ring Select
    002f Phone Mute
    0030 Caller ID
    0031 Send
    0050 Speed Dial
    0051 Store Number
    0052 Recall Number
    0053 Phone Directory
    0070 Voice Mail
    0071 Screen Calls
    0072 Do Not Disturb
    0073 Message
    0074 Answer On/Off
    0090 Inside Dial Tone
    0091 Outside Dial Tone
    0092 Inside Ring Tone
    0093 Outside Ring Tone
    0094 Priority Ring Tone
    0095 Inside Ringback
    0096 Priority Ringback
    0097 Line Busy Tone
    0098 Reorder Tone
    0099 Call Waiting Tone
    009a Confirmation Tone 1
    009b Confirmation Tone 2
    009c Tones Off
    009d Outside Ringback
    009e Ringer
    00b0 Phone Key 0
    00b1 Phone Key 1
    00b2 Phone Key 2
    00b3 Phone Key 3
    00b4 Phone Key 4
    00b5 Phone Key 5
    00b6 Phone Key 6
    00b7 Phone Key 7
    00b8 Phone Key 8
    00b9 Phone Key 9
    00ba Phone Key Star
    00bb Phone Key Pound
    00bc Phone Key A
    00bd Phone Key B
    00be Phone Key C
    00bf Phone Key D
    00c0 Phone Call History Key
    00c1 Phone Caller ID Key
    00c2 Phone Settings Key
    00f0 Host Control
    00f1 Host Available
    00f2 Host Call Active
    00f3 Activate Handset Audio
    00f4 Ring Type
    00f5 Re-dialable Phone Number
    00f8 Stop Ring Tone
    00f9 PSTN Ring Tone
    00fa Host Ring Tone
    00fb Alert Sound Error
    00fc Alert Sound Confirm
    00fd Alert Sound Notification
    00fe Silent Ring
    0108 Email Message Waiting
    0109 Voicemail Message Waiting
    010a Host Hold
    0110 Incoming Call History Count
    0111 Outgoing Call History Count
    0112 Incoming Call History
    0113 Outgoing Call History
    0114 Phone Locale
    0140 Phone Time Second
    0141 Phone Time Minute
    0142 Phone Time Hour
    0143 Phone Date Day
    0144 Phone Date Month
    0145 Phone Date Year
    0146 Handset Nickname
    0147 Address Book ID
    014a Call Duration
    014b Dual Mode Phone
    @000c Consumer
    0001 Consumer Control
    0002 Numeric Key Pad
    0003 Programmable Buttons
    0004 Microphone
    0005 Headphone
    0006 Graphic Equalizer
    0020 +10
    0021 +100
    0022 AM/PM
    0030 Power
    0031 Reset
    0032 Sleep
    0033 Sleep After
    0034 Sleep Mode
    0035 Illumination
    0036 Function Buttons
    0040 Menu
    0041 Menu Pick
    0042 Menu Up
    0043 Menu Down
    0044 Menu Left
    0045 Menu Right
    0046 Menu Escape
    0047 Menu Value Increase
    0048 Menu Value Decrease
    0060 Data On Screen
    0061 Closed Caption
    0062 Closed Caption Select
    0063 VCR/TV
    0064 Broadcast Mode
    0065 Snapshot
    0066 Still
    0067 Picture-in-Picture Toggle
    0068 Picture-in-Picture Swap
    0069 Red Menu Button
    006a Green Menu Button
    006b Blue Menu Button
    006c Yellow Menu Button
    006d Aspect
    006e 3D Mode Select
    006f Display Brightness Increment
    0070 Display Brightness Decrement
    0071 Display Brightness
    0072 Display Backlight Toggle
    0073 Display Set Brightness to Minimum
    0074 Display Set Brightness to Maximum
    0075 Display Set Auto Brightness
    0076 Camera Access Enabled
    0077 Camera Access Disabled
    0078 Camera Access Toggle
    0079 Keyboard Brightness Increment
    007a Keyboard Brightness Decrement
    007b Keyboard Backlight Set Level
    007c Keyboard Backlight OOC
    007d Keyboard Backlight Set Minimum
    007e Keyboard Backlight Set Maximum
    007f Keyboard Backlight Auto
    0080 Selection
    0081 Assign Selection
    0082 Mode Step
    0083 Recall Last
    0084 Enter Channel
    0085 Order Movie
    0086 Channel
    0087 Media Selection
    0088 Media Select Computer
    0089 Media Select TV
    008a Media Select WWW
    008b Media Select DVD
    008c Media Select Telephone
    008d Media Select Program Guide
    008e Media Select Video Phone
    008f Media Select Games
    0090 Media Select Messages
    0091 Media Select CD
    0092 Media Select VCR
    0093 Media Select Tuner
    0094 Quit
    0095 Help
    0096 Media Select Tape
    0097 Media Select Cable
    0098 Media Select Satellite
    0099 Media Select Security
    009a Media Select Home
    009b Media Select Call
    009c Channel Increment
    009d Channel Decrement
    009e Media Select SAP
    00a0 VCR Plus
    00a1 Once
    00a2 Daily
    00a3 Weekly
    00a4 Monthly
    00b0 Play
    00b1 Pause
    00b2 Record
    00b3 Fast Forward
    00b4 Rewind
    00b5 Scan Next Track
    00b6 Scan Previous Track
    00b7 Stop
    00b8 Eject
    00b9 Random Play
    00ba Select Disc
    00bb Enter Disc
    00bc Repeat
    00bd Tracking
    00be Track Normal
    00bf Slow Tracking
    00c0 Frame Forward
    00c1 Frame Back
    00c2 Mark
    00c3 Clear Mark
    00c4 Repeat From Mark
    00c5 Return To Mark
    00c6 Search Mark Forward
    00c7 Search Mark Backwards
    00c8 Counter Reset
    00c9 Show Counter
    00ca Tracking Increment
    00cb Tracking Decrement
    00cc Stop/Eject
    00cd Play/Pause
    00ce Play/Skip
    00cf Voice Command
    00d0 Invoke Capture Interface
    00d1 Start or Stop Game Recording
    00d2 Historical Game Capture
    00d3 Capture Game Screenshot
    00d4 Show or Hide Recording Indicator
    00d5 Start or Stop Microphone Capture
    00d6 Start or Stop Camera Capture
    00d7 Start or Stop Game Broadcast
    00d8 Start or Stop Voice Dictation Session
    00d9 Invoke/Dismiss Emoji Picker
    00e0 Volume
    00e1 Balance
    00e2 Mute
    00e3 Bass
    00e4 Treble
    00e5 Bass Boost
    00e6 Surround Mode
    00e7 Loudness
    00e8 MPX
    00e9 Volume Increment
    00ea Volume Decrement
    00f0 Speed Select
    00f1 Playback Speed
    00f2 Standard Play
    00f3 Long Play
    00f4 Extended Play
    00f5 Slow
    0100 Fan Enable
    0101 Fan Speed
    0102 Light Enable
    0103 Light Illumination Level
    0104 Climate Control Enable
    0105 Room Temperature
    0106 Security Enable
    0107 Fire Alarm
    0108 Police Alarm
    0109 Proximity
    010a Motion
    010b Duress Alarm
    010c Holdup Alarm
    010d Medical Alarm
    0150 Balance Right
    0151 Balance Left
    0152 Bass Increment
    0153 Bass Decrement
    0154 Treble Increment
    0155 Treble Decrement
    0160 Speaker System
    0161 Channel Left
    0162 Channel Right
    0163 Channel Center
    0164 Channel Front
    0165 Channel Center Front
    0166 Channel Side
    0167 Channel Surround
    0168 Channel Low Frequency Enhancement
    0169 Channel Top
    016a Channel Unknown
    0170 Sub-channel
    0171 Sub-channel Increment
    0172 Sub-channel Decrement
    0173 Alternate Audio Increment
    0174 Alternate Audio Decrement
    0180 Application Launch Buttons
    0181 AL Launch Button Configuration Tool
    0182 AL Programmable Button Configuration
    0183 AL Consumer Control Configuration
    0184 AL Word Processor
    0185 AL Text Editor
    0186 AL Spreadsheet
    0187 AL Graphics Editor
    0188 AL Presentation App
    0189 AL Database App
    018a AL Email Reader
    018b AL Newsreader
    018c AL Voicemail
    018d AL Contacts/Address Book
    018e AL Calendar/Schedule
    018f AL Task/Project Manager
    0190 AL Log/Journal/Timecard
    0191 AL Checkbook/Finance
    0192 AL Calculator
    0193 AL A/V Capture/Playback
    0194 AL Local Machine Browser
    0195 AL LAN/WAN Browser
    0196 AL Internet Browser
    0197 AL Remote Networking/ISP Connect
    0198 AL Network Conference
    0199 AL Network Chat
    019a AL Telephony/Dialer
    019b AL Logon
    019c AL Logoff
    019d AL Logon/Logoff
    019e AL Terminal Lock/Screensaver
    019f AL Control Panel
    01a0 AL Command Line Processor/Run
    01a1 AL Process/Task Manager
    01a2 AL Select Task/Application
    01a3 AL Next Task/Application
    01a4 AL Previous Task/Application
    01a5 AL Preemptive Halt Task/Application
    01a6 AL Integrated Help Center
    01a7 AL Documents
    01a8 AL Thesaurus
    01a9 AL Dictionary
    01aa AL Desktop
    01ab AL Spell Check
    01ac AL Grammar Check
    01ad AL Wireless Status
    01ae AL Keyboard Layout
    01af AL Virus Protection
    01b0 AL Encryption
    01b1 AL Screen Saver
    01b2 AL Alarms
    01b3 AL Clock
    01b4 AL File Browser
    01b5 AL Power Status
    01b6 AL Image Browser
    01b7 AL Audio Browser
    01b8 AL Movie Browser
    01b9 AL Digital Rights Manager
    01ba AL Digital Wallet
    01bc AL Instant Messaging
    01bd AL OEM Features/ Tips/Tutorial Browser
    01be AL OEM Help
    01bf AL Online Community
    01c0 AL Entertainment Content Browser
    01c1 AL Online Shopping Browser
    01c2 AL SmartCard Information/Help
    01c3 AL Market Monitor/Finance Browser
    01c4 AL Customized Corporate News Browser
    01c5 AL Online Activity Browser
    01c6 AL Research/Search Browser
    01c7 AL Audio Player
    01c8 AL Message Status
    01c9 AL Contact Sync
    01ca AL Navigation
    01cb AL Context-aware Desktop Assistant
    0200 Generic GUI Application Controls
    0201 AC New
    0202 AC Open
    0203 AC Close
    0204 AC Exit
    0205 AC Maximize
    0206 AC Minimize
    0207 AC Save
    0208 AC Print
    0209 AC Properties
    021a AC Undo
    021b AC Copy
    021c AC Cut
    021d AC Paste
    021e AC Select All
    021f AC Find
    0220 AC Find and Replace
    0221 AC Search
    0222 AC Go To
    0223 AC Home
    0224 AC Back
    0225 AC Forward
    0226 AC Stop
    0227 AC Refresh
    0228 AC Previous Link
    0229 AC Next Link
    022a AC Bookmarks
    022b AC History
    022c AC Subscriptions
    022d AC Zoom In
    022e AC Zoom Out
    022f AC Zoom
    0230 AC Full Screen View
    0231 AC Normal View
    0232 AC View Toggle
    0233 AC Scroll Up
    0234 AC Scroll Down
    0235 AC Scroll
    0236 AC Pan Left
    0237 AC Pan Right
    0238 AC Pan
    0239 AC New Window
    023a AC Tile Horizontally
    023b AC Tile Vertically
    023c AC Format
    023d AC Edit
    023e AC Bold
    023f AC Italics
    0240 AC Underline
    0241 AC Strikethrough
    0242 AC Subscript
    0243 AC Superscript
    0244 AC All Caps
    0245 AC Rotate
    0246 AC Resize
    0247 AC Flip Horizontal
    0248 AC Flip Vertical
    0249 AC Mirror Horizontal
    024a AC Mirror Vertical
    024b AC Font Select
    024c AC Font Color
    024d AC Font Size
    024e AC Justify Left
    024f AC Justify Center H
    0250 AC Justify Right
    0251 AC Justify Block H
    0252 AC Justify Top
    0253 AC Justify Center V
    0254 AC Justify Bottom
    0255 AC Justify Block V
    0256 AC Indent Decrease
    0257 AC Indent Increase
    0258 AC Numbered List
    0259 AC Restart Numbering
    025a AC Bulleted List
    025b AC Promote
    025c AC Demote
    025d AC Yes
    025e AC No
    025f AC Cancel
    0260 AC Catalog
    0261 AC Buy/Checkout
    0262 AC Add to Cart
    0263 AC Expand
    0264 AC Expand All
    0265 AC Collapse
    0266 AC Collapse All
    0267 AC Print Preview
    0268 AC Paste Special
    0269 AC Insert Mode
    026a AC Delete
    026b AC Lock
    026c AC Unlock
    026d AC Protect
    026e AC Unprotect
    026f AC Attach Comment
    0270 AC Delete Comment
    0271 AC View Comment
    0272 AC Select Word
    0273 AC Select Sentence
    0274 AC Select Paragraph
    0275 AC Select Column
    0276 AC Select Row
    0277 AC Select Table
    0278 AC Select Object
    0279 AC Redo/Repeat
    027a AC Sort
    027b AC Sort Ascending
    027c AC Sort Descending
    027d AC Filter
    027e AC Set Clock
    027f AC View Clock
    0280 AC Select Time Zone
    0281 AC Edit Time Zones
    0282 AC Set Alarm
    0283 AC Clear Alarm
    0284 AC Snooze Alarm
    0285 AC Reset Alarm
    0286 AC Synchronize
    0287 AC Send/Receive
    0288 AC Send To
    0289 AC Reply
    028a AC Reply All
    028b AC Forward Msg
    028c AC Send
    028d AC Attach File
    028e AC Upload
    028f AC Download (Save Target As)
    0290 AC Set Borders
    0291 AC Insert Row
    0292 AC Insert Column
    0293 AC Insert File
    0294 AC Insert Picture
    0295 AC Insert Object
    0296 AC Insert Symbol
    0297 AC Save and Close
    0298 AC Rename
    0299 AC Merge
    029a AC Split
    029b AC Disribute Horizontally
    029c AC Distribute Vertically
    029d AC Next Keyboard Layout Select
    029e AC Navigation Guidance
    029f AC Desktop Show All Windows
    02a0 AC Soft Key Left
    02a1 AC Soft Key Right
    02a2 AC Desktop Show All Applications
    02b0 AC Idle Keep Alive
    02c0 Extended Keyboard Attributes Collection
    02c1 Keyboard Form Factor
    02c2 Keyboard Key Type
    02c3 Keyboard Physical Layout
    02c4 Vendor-Specific Keyboard Physical Layout
    02c5 Keyboard IETF Language Tag Index
    02c6 Implemented Keyboard Input Assist Controls
    02c7 Keyboard Input Assist Previous
    02c8 Keyboard Input Assist Next
    02c9 Keyboard Input Assist Previous Group
    02ca Keyboard Input Assist Next Group
    02cb Keyboard Input Assist Accept
    02cc Keyboard Input Assist Cancel
    02d0 Privacy Screen Toggle
    02d1 Privacy Screen Level Decrement
    02d2 Privacy Screen Level Increment
    02d3 Privacy Screen Level Minimum
    02d4 Privacy Screen Level Maximum
    0500 Contact Edited
    0501 Contact Added
    0502 Contact Record Active
    0503 Contact Index
    0504 Contact Nickname
    0505 Contact First Name
    0506 Contact Last Name
    0507 Contact Full Name
    0508 Contact Phone Number Personal
    0509 Contact Phone Number Business
    050a Contact Phone Number Mobile
    050b Contact Phone Number Pager
    050c Contact Phone Number Fax
    050d Contact Phone Number Other
    050e Contact Email Personal
    050f Contact Email Business
    0510 Contact Email Other
    0511 Contact Email Main
    0512 Contact Speed Dial Number
    0513 Contact Status Flag
    0514 Contact Misc.
    @000d Digitizers
    0001 Digitizer
    0002 Pen
    0003 Light Pen
    0004 Touch Screen
    0005 Touch Pad
    0006 Whiteboard
    0007 Coordinate Measuring Machine
    0008 3D Digitizer
    0009 Stereo Plotter
    000a Articulated Arm
    000b Armature
    000c Multiple Point Digitizer
    000d Free Space Wand
    000e Device Configuration
    000f Capacitive Heat Map Digitizer
    0020 Stylus
    0021 Puck
    0022 Finger
    0023 Device settings
    0024 Character Gesture
    0030 Tip Pressure
    0031 Barrel Pressure
    0032 In Range
    0033 Touch
    0034 Untouch
    0035 Tap
    0036 Quality
    0037 Data Valid
    0038 Transducer Index
    0039 Tablet Function Keys
    003a Program Change Keys
    003b Battery Strength
    003c Invert
    003d X Tilt
    003e Y Tilt
    003f Azimuth
    0040 Altitude
    0041 Twist
    0042 Tip Switch
    0043 Secondary Tip Switch
    0044 Barrel Switch
    0045 Eraser
    0046 Tablet Pick
    0047 Touch Valid
    0048 Width
    0049 Height
    0051 Contact Identifier
    0052 Device Mode
    0053 Device Identifier
    0054 Contact Count
    0055 Contact Count Maximum
    0056 Scan Time
    0057 Surface Switch
    0058 Button Switch
    0059 Pad Type
    005a Secondary Barrel Switch
    005b Transducer Serial Number
    005c Preferred Color
    005d Preferred Color is Locked
    005e Preferred Line Width
    005f Preferred Line Width is Locked
    0060 Latency Mode
    0061 Gesture Character Quality
    0062 Character Gesture Data Length
    0063 Character Gesture Data
    0064 Gesture Character Encoding
    0065 UTF8 Character Gesture Encoding
    0066 UTF16 Little Endian Character Gesture Encoding
    0067 UTF16 Big Endian Character Gesture Encoding
    0068 UTF32 Little Endian Character Gesture Encoding
    0069 UTF32 Big Endian Character Gesture Encoding
    006a Capacitive Heat Map Protocol Vendor ID
    006b Capacitive Heat Map Protocol Version
    006c Capacitive Heat Map Frame Data
    006d Gesture Character Enable
    006e Transducer Serial Number Part 2
    006f No Preferred Color
    0070 Preferred Line Style
    0071 Preferred Line Style is Locked
    0072 Ink
    0073 Pencil
    0074 Highlighter
    0075 Chisel Marker
    0076 Brush
    0077 No Preference
    0080 Digitizer Diagnostic
    0081 Digitizer Error
    0082 Err Normal Status
    0083 Err Transducers Exceeded
    0084 Err Full Trans Features Unavailable
    0085 Err Charge Low
    0090 Transducer Software Info
    0091 Transducer Vendor Id
    0092 Transducer Product Id
    0093 Device Supported Protocols
    0094 Transducer Supported Protocols
    0095 No Protocol
    0096 Wacom AES Protocol
    0097 USI Protocol
    0098 Microsoft Pen Protocol
    00a0 Supported Report Rates
    00a1 Report Rate
    00a2 Transducer Connected
    00a3 Switch Disabled
    00a4 Switch Unimplemented
    00a5 Transducer Switches
    00a6 Transducer Index Selector
    00b0 Button Press Threshold
    @000e Haptics
    0001 Simple Haptic Controller
    0010 Waveform List
    0011 Duration List
    0020 Auto Trigger
    0021 Manual Trigger
    0022 Auto Trigger Associated Control
    0023 Intensity
    0024 Repeat Count
    0025 Retrigger Period
    0026 Waveform Vendor Page
    0027 Waveform Vendor ID
    0028 Waveform Cutoff Time
    1001 Waveform None
    1002 Waveform Stop
    1003 Waveform Click
    1004 Waveform Buzz Continuous
    1005 Waveform Rumble Continuous
    1006 Waveform Press
    1007 Waveform Release
    1008 Waveform Hover
    1009 Waveform Success
    100a Waveform Error
    100b Waveform Ink Continuous
    100c Waveform Pencil Continuous
    100d Waveform Marker Continuous
    100e Waveform Chisel Marker Continuous
    100f Waveform Brush Continuous
    1010 Waveform Eraser Continuous
    1011 Waveform Sparkle Continuous
    @000f Physical Input Device
    0001 Physical Input Device
    0020 Normal
    0021 Set Effect Report
    0022 Effect Parameter Block Index
    0023 Parameter Block Offset
    0024 ROM Flag
    0025 Effect Type
    0026 ET Constant-Force
    0027 ET Ramp
    0028 ET Custom-Force
    0030 ET Square
    0031 ET Sine
    0032 ET Triangle
    0033 ET Sawtooth Up
    0034 ET Sawtooth Down
    0040 ET Spring
    0041 ET Damper
    0042 ET Inertia
    0043 ET Friction
    0050 Duration
    0051 Sample Period
    0052 Gain
    0053 Trigger Button
    0054 Trigger Repeat Interval
    0055 Axes Enable
    0056 Direction Enable
    0057 Direction
    0058 Type Specific Block Offset
    0059 Block Type
    005a Set Envelope Report
    005b Attack Level
    005c Attack Time
    005d Fade Level
    005e Fade Time
    005f Set Condition Report
    0060 Center-Point Offset
    0061 Positive Coefficient
    0062 Negative Coefficient
    0063 Positive Saturation
    0064 Negative Saturation
    0065 Dead Band
    0066 Download Force Sample
    0067 Isoch Custom-Force Enable
    0068 Custom-Force Data Report
    0069 Custom-Force Data
    006a Custom-Force Vendor Defined Data
    006b Set Custom-Force Report
    006c Custom-Force Data Offset
    006d Sample Count
    006e Set Periodic Report
    006f Offset
    0070 Magnitude
    0071 Phase
    0072 Period
    0073 Set Constant-Force Report
    0074 Set Ramp-Force Report
    0075 Ramp Start
    0076 Ramp End
    0077 Effect Operation Report
    0078 Effect Operation
    0079 Op Effect Start
    007a Op Effect Start Solo
    007b Op Effect Stop
    007c Loop Count
    007d Device Gain Report
    007e Device Gain
    007f Parameter Block Pools Report
    0080 RAM Pool Size
    0081 ROM Pool Size
    0082 ROM Effect Block Count
    0083 Simultaneous Effects Max
    0084 Pool Alignment
    0085 Parameter Block Move Report
    0086 Move Source
    0087 Move Destination
    0088 Move Length
    0089 Effect Parameter Block Load Report
    008b Effect Parameter Block Load Status
    008c Block Load Success
    008d Block Load Full
    008e Block Load Error
    008f Block Handle
    0090 Effect Parameter Block Free Report
    0091 Type Specific Block Handle
    0092 PID State Report
    0094 Effect Playing
    0095 PID Device Control Report
    0096 PID Device Control
    0097 DC Enable Actuators
    0098 DC Disable Actuators
    0099 DC Stop All Effects
    009a DC Reset
    009b DC Pause
    009c DC Continue
    009f Device Paused
    00a0 Actuators Enabled
    00a4 Safety Switch
    00a5 Actuator Override Switch
    00a6 Actuator Power
    00a7 Start Delay
    00a8 Parameter Block Size
    00a9 Device-Managed Pool
    00aa Shared Parameter Blocks
    00ab Create New Effect Parameter Block Report
    00ac RAM Pool Available
    @0010 Unicode
    @0011 SoC
    0001 SocControl
    0002 FirmwareTransfer
    0003 FirmwareFileId
    0004 FileOffsetInBytes
    0005 FileTransferSizeMaxInBytes
    0006 FilePayload
    0007 FilePayloadSizeInBytes
    0008 FilePayloadContainsLastBytes
    0009 FileTransferStop
    000a FileTransferTillEnd
    @0012 Eye and Head Trackers
    0001 Eye Tracker
    0002 Head Tracker
    0010 Tracking Data
    0011 Capabilities
    0012 Configuration
    0013 Status
    0014 Control
    0020 Sensor Timestamp
    0021 Position X
    0022 Position Y
    0023 Position Z
    0024 Gaze Point
    0025 Left Eye Position
    0026 Right Eye Position
    0027 Head Position
    0028 Head Direction Point
    0029 Rotation about X axis
    002a Rotation about Y axis
    002b Rotation about Z axis
    0100 Tracker Quality
    0101 Minimum Tracking Distance
    0102 Optimum Tracking Distance
    0103 Maximum Tracking Distance
    0104 Maximum Screen Plane Width
    0105 Maximum Screen Plane Height
    0200 Display Manufacturer ID
    0201 Display Product ID
    0202 Display Serial Number
    0203 Display Manufacturer Date
    0204 Calibrated Screen Width
    0205 Calibrated Screen Height
    0300 Sampling Frequency
    0301 Configuration Status
    0400 Device Mode Request
    @0014 Auxiliary Display
    0001 Alphanumeric Display
    0002 Auxiliary Display
    0020 Display Attributes Report
    0021 ASCII Character Set
    0022 Data Read Back
    0023 Font Read Back
    0024 Display Control Report
    0025 Clear Display
    0026 Display Enable
    0027 Screen Saver Delay
    0028 Screen Saver Enable
    0029 Vertical Scroll
    002a Horizontal Scroll
    002b Character Report
    002c Display Data
    002d Display Status
    002e Stat Not Ready
    002f Stat Ready
    0030 Err Not a loadable character
    0031 Err Font data cannot be read
    0032 Cursor Position Report
    0033 Row
    0034 Column
    0035 Rows
    0036 Columns
    0037 Cursor Pixel Positioning
    0038 Cursor Mode
    0039 Cursor Enable
    003a Cursor Blink
    003b Font Report
    003c Font Data
    003d Character Width
    003e Character Height
    003f Character Spacing Horizontal
    0040 Character Spacing Vertical
    0041 Unicode Character Set
    0042 Font 7-Segment
    0043 7-Segment Direct Map
    0044 Font 14-Segment
    0045 14-Segment Direct Map
    0046 Display Brightness
    0047 Display Contrast
    0048 Character Attribute
    0049 Attribute Readback
    004a Attribute Data
    004b Char Attr Enhance
    004c Char Attr Underline
    004d Char Attr Blink
    0080 Bitmap Size X
    0081 Bitmap Size Y
    0082 Max Blit Size
    0083 Bit Depth Format
    0084 Display Orientation
    0085 Palette Report
    0086 Palette Data Size
    0087 Palette Data Offset
    0088 Palette Data
    008a Blit Report
    008b Blit Rectangle X1
    008c Blit Rectangle Y1
    008d Blit Rectangle X2
    008e Blit Rectangle Y2
    008f Blit Data
    0090 Soft Button
    0091 Soft Button ID
    0092 Soft Button Side
    0093 Soft Button Offset 1
    0094 Soft Button Offset 2
    0095 Soft Button Report
    00c2 Soft Keys
    00cc Display Data Extensions
    00cf Character Mapping
    00dd Unicode Equivalent
    00df Character Page Mapping
    00ff Request Report
    @0020 Sensors
    0001 Sensor
    0010 Biometric
    0011 Biometric: Human Presence
    0012 Biometric: Human Proximity
    0013 Biometric: Human Touch
    0014 Biometric: Blood Pressure
    0015 Biometric: Body Temperature
    0016 Biometric: Heart Rate
    0017 Biometric: Heart Rate Variability
    0018 Biometric: Peripheral Oxygen Saturation
    0019 Biometric: Respiratory Rate
    0020 Electrical
    0021 Electrical: Capacitance
    0022 Electrical: Current
    0023 Electrical: Power
    0024 Electrical: Inductance
    0025 Electrical: Resistance
    0026 Electrical: Voltage
    0027 Electrical: Potentiometer
    0028 Electrical: Frequency
    0029 Electrical: Period
    0030 Environmental
    0031 Environmental: Atmospheric Pressure
    0032 Environmental: Humidity
    0033 Environmental: Temperature
    0034 Environmental: Wind Direction
    0035 Environmental: Wind Speed
    0036 Environmental: Air Quality
    0037 Environmental: Heat Index
    0038 Environmental: Surface Temperature
    0039 Environmental: Volatile Organic Compounds
    003a Environmental: Object Presence
    003b Environmental: Object Proximity
    0040 Light
    0041 Light: Ambient Light
    0042 Light: Consumer Infrared
    0043 Light: Infrared Light
    0044 Light: Visible Light
    0045 Light: Ultraviolet Light
    0050 Location
    0051 Location: Broadcast
    0052 Location: Dead Reckoning
    0053 Location: GPS (Global Positioning System)
    0054 Location: Lookup
    0055 Location: Other
    0056 Location: Static
    0057 Location: Triangulation
    0060 Mechanical
    0061 Mechanical: Boolean Switch
    0062 Mechanical: Boolean Switch Array
    0063 Mechanical: Multivalue Switch
    0064 Mechanical: Force
    0065 Mechanical: Pressure
    0066 Mechanical: Strain
    0067 Mechanical: Weight
    0068 Mechanical: Haptic Vibrator
    0069 Mechanical: Hall Effect Switch
    0070 Motion
    0071 Motion: Accelerometer 1D
    0072 Motion: Accelerometer 2D
    0073 Motion: Accelerometer 3D
    0074 Motion: Gyrometer 1D
    0075 Motion: Gyrometer 2D
    0076 Motion: Gyrometer 3D
    0077 Motion: Motion Detector
    0078 Motion: Speedometer
    0079 Motion: Accelerometer
    007a Motion: Gyrometer
    007b Motion: Gravity Vector
    007c Motion: Linear Accelerometer
    0080 Orientation
    0081 Orientation: Compass 1D
    0082 Orientation: Compass 2D
    0083 Orientation: Compass 3D
    0084 Orientation: Inclinometer 1D
    0085 Orientation: Inclinometer 2D
    0086 Orientation: Inclinometer 3D
    0087 Orientation: Distance 1D
    0088 Orientation: Distance 2D
    0089 Orientation: Distance 3D
    008a Orientation: Device Orientation
    008b Orientation: Compass
    008c Orientation: Inclinometer
    008d Orientation: Distance
    008e Orientation: Relative Orientation
    008f Orientation: Simple Orientation
    0090 Scanner
    0091 Scanner: Barcode
    0092 Scanner: RFID
    0093 Scanner: NFC
    00a0 Time
    00a1 Time: Alarm Timer
    00a2 Time: Real Time Clock
    00b0 Personal Activity
    00b1 Personal Activity: Activity Detection
    00b2 Personal Activity: Device Position
    00b3 Personal Activity: Pedometer
    00b4 Personal Activity: Step Detection
    00c0 Orientation Extended
    00c1 Orientation Extended: Geomagnetic Orientation
    00c2 Orientation Extended: Magnetometer
    00d0 Gesture
    00d1 Gesture: Chassis Flip Gesture
    00d2 Gesture: Hinge Fold Gesture
    00e0 Other
    00e1 Other: Custom
    00e2 Other: Generic
    00e3 Other: Generic Enumerator
    00e4 Other: Hinge Angle
    00f0 Vendor Reserved 1
    00f1 Vendor Reserved 2
    00f2 Vendor Reserved 3
    00f3 Vendor Reserved 4
    00f4 Vendor Reserved 5
    00f5 Vendor Reserved 6
    00f6 Vendor Reserved 7
    00f7 Vendor Reserved 8
    00f8 Vendor Reserved 9
    00f9 Vendor Reserved 10
    00fa Vendor Reserved 11
    00fb Vendor Reserved 12
    00fc Vendor Reserved 13
    00fd Vendor Reserved 14
    00fe Vendor Reserved 15
    00ff Vendor Reserved 16
    0200 Event
    0201 Event: Sensor State
    0202 Event: Sensor Event
    0300 Property
    0301 Property: Friendly Name
    0302 Property: Persistent Unique ID
    0303 Property: Sensor Status
    0304 Property: Minimum Report Interval
    0305 Property: Sensor Manufacturer
    0306 Property: Sensor Model
    0307 Property: Sensor Serial Number
    0308 Property: Sensor Description
    0309 Property: Sensor Connection Type
    030a Property: Sensor Device Path
    030b Property: Hardware Revision
    030c Property: Firmware Version
    030d Property: Release Date
    030e Property: Report Interval
    030f Property: Change Sensitivity Absolute
    0310 Property: Change Sensitivity Percent of Range
    0311 Property: Change Sensitivity Percent Relative
    0312 Property: Accuracy
    0313 Property: Resolution
    0314 Property: Maximum
    0315 Property: Minimum
    0316 Property: Reporting State
    0317 Property: Sampling Rate
    0318 Property: Response Curve
    0319 Property: Power State
    031a Property: Maximum FIFO Events
    031b Property: Report Latency
    031c Property: Flush FIFO Events
    031d Property: Maximum Power Consumption
    031e Property: Is Primary
    031f Property: Human Presence Detection Type
    0400 Data Field: Location
    0402 Data Field: Altitude Antenna Sea Level
    0403 Data Field: Differential Reference Station ID
    0404 Data Field: Altitude Ellipsoid Error
    0405 Data Field: Altitude Ellipsoid
    0406 Data Field: Altitude Sea Level Error
    0407 Data Field: Altitude Sea Level
    0408 Data Field: Differential GPS Data Age
    0409 Data Field: Error Radius
    040a Data Field: Fix Quality
    040b Data Field: Fix Type
    040c Data Field: Geoidal Separation
    040d Data Field: GPS Operation Mode
    040e Data Field: GPS Selection Mode
    040f Data Field: GPS Status
    0410 Data Field: Position Dilution of Precision
    0411 Data Field: Horizontal Dilution of Precision
    0412 Data Field: Vertical Dilution of Precision
    0413 Data Field: Latitude
    0414 Data Field: Longitude
    0415 Data Field: True Heading
    0416 Data Field: Magnetic Heading
    0417 Data Field: Magnetic Variation
    0418 Data Field: Speed
    0419 Data Field: Satellites in View
    041a Data Field: Satellites in View Azimuth
    041b Data Field: Satellites in View Elevation
    041c Data Field: Satellites in View IDs
    041d Data Field: Satellites in View PRNs
    041e Data Field: Satellites in View S/N Ratios
    041f Data Field: Satellites Used Count
    0420 Data Field: Satellites Used PRNs
    0421 Data Field: NMEA Sentence
    0422 Data Field: Address Line 1
    0423 Data Field: Address Line 2
    0424 Data Field: City
    0425 Data Field: State or Province
    0426 Data Field: Country or Region
    0427 Data Field: Postal Code
    042a Property: Location
    042b Property: Location Desired Accuracy
    0430 Data Field: Environmental
    0431 Data Field: Atmospheric Pressure
    0433 Data Field: Relative Humidity
    0434 Data Field: Temperature
    0435 Data Field: Wind Direction
    0436 Data Field: Wind Speed
    0437 Data Field: Air Quality Index
    0438 Data Field: Equivalent CO2
    0439 Data Field: Volatile Organic Compound Concentration
    043a Data Field: Object Presence
    043b Data Field: Object Proximity Range
    043c Data Field: Object Proximity Out of Range
    0440 Property: Environmental
    0441 Property: Reference Pressure
    0450 Data Field: Motion
    0451 Data Field: Motion State
    0452 Data Field: Acceleration
    0453 Data Field: Acceleration Axis X
    0454 Data Field: Acceleration Axis Y
    0455 Data Field: Acceleration Axis Z
    0456 Data Field: Angular Velocity
    0457 Data Field: Angular Velocity about X Axis
    0458 Data Field: Angular Velocity about Y Axis
    0459 Data Field: Angular Velocity about Z Axis
    045a Data Field: Angular Position
    045b Data Field: Angular Position about X Axis
    045c Data Field: Angular Position about Y Axis
    045d Data Field: Angular Position about Z Axis
    045e Data Field: Motion Speed
    045f Data Field: Motion Intensity
    0470 Data Field: Orientation
    0471 Data Field: Heading
    0472 Data Field: Heading X Axis
    0473 Data Field: Heading Y Axis
    0474 Data Field: Heading Z Axis
    0475 Data Field: Heading Compensated Magnetic North
    0476 Data Field: Heading Compensated True North
    0477 Data Field: Heading Magnetic North
    0478 Data Field: Heading True North
    0479 Data Field: Distance
    047a Data Field: Distance X Axis
    047b Data Field: Distance Y Axis
    047c Data Field: Distance Z Axis
    047d Data Field: Distance Out-of-Range
    047e Data Field: Tilt
    047f Data Field: Tilt X Axis
    0480 Data Field: Tilt Y Axis
    0481 Data Field: Tilt Z Axis
    0482 Data Field: Rotation Matrix
    0483 Data Field: Quaternion
    0484 Data Field: Magnetic Flux
    0485 Data Field: Magnetic Flux X Axis
    0486 Data Field: Magnetic Flux Y Axis
    0487 Data Field: Magnetic Flux Z Axis
    0488 Data Field: Magnetometer Accuracy
    0489 Data Field: Simple Orientation Direction
    0490 Data Field: Mechanical
    0491 Data Field: Boolean Switch State
    0492 Data Field: Boolean Switch Array States
    0493 Data Field: Multivalue Switch Value
    0494 Data Field: Force
    0495 Data Field: Absolute Pressure
    0496 Data Field: Gauge Pressure
    0497 Data Field: Strain
    0498 Data Field: Weight
    04a0 Property: Mechanical
    04a1 Property: Vibration State
    04a2 Property: Forward Vibration Speed
    04a3 Property: Backward Vibration Speed
    04b0 Data Field: Biometric
    04b1 Data Field: Human Presence
    04b2 Data Field: Human Proximity Range
    04b3 Data Field: Human Proximity Out of Range
    04b4 Data Field: Human Touch State
    04b5 Data Field: Blood Pressure
    04b6 Data Field: Blood Pressure Diastolic
    04b7 Data Field: Blood Pressure Systolic
    04b8 Data Field: Heart Rate
    04b9 Data Field: Resting Heart Rate
    04ba Data Field: Heartbeat Interval
    04bb Data Field: Respiratory Rate
    04bc Data Field: SpO2
    04bd Data Field: Human Attention Detected
    04d0 Data Field: Light
    04d1 Data Field: Illuminance
    04d2 Data Field: Color Temperature
    04d3 Data Field: Chromaticity
    04d4 Data Field: Chromaticity X
    04d5 Data Field: Chromaticity Y
    04d6 Data Field: Consumer IR Sentence Receive
    04d7 Data Field: Infrared Light
    04d8 Data Field: Red Light
    04d9 Data Field: Green Light
    04da Data Field: Blue Light
    04db Data Field: Ultraviolet A Light
    04dc Data Field: Ultraviolet B Light
    04dd Data Field: Ultraviolet Index
    04de Data Field: Near Infrared Light
    04df Property: Light
    04e0 Property: Consumer IR Sentence Send
    04e2 Property: Auto Brightness Preferred
    04e3 Property: Auto Color Preferred
    04f0 Data Field: Scanner
    04f1 Data Field: RFID Tag 40 Bit
    04f2 Data Field: NFC Sentence Receive
    04f8 Property: Scanner
    04f9 Property: NFC Sentence Send
    0500 Data Field: Electrical
    0501 Data Field: Capacitance
    0502 Data Field: Current
    0503 Data Field: Electrical Power
    0504 Data Field: Inductance
    0505 Data Field: Resistance
    0506 Data Field: Voltage
    0507 Data Field: Frequency
    0508 Data Field: Period
    0509 Data Field: Percent of Range
    0520 Data Field: Time
    0521 Data Field: Year
    0522 Data Field: Month
    0523 Data Field: Day
    0524 Data Field: Day of Week
    0525 Data Field: Hour
    0526 Data Field: Minute
    0527 Data Field: Second
    0528 Data Field: Millisecond
    0529 Data Field: Timestamp
    052a Data Field: Julian Day of Year
    052b Data Field: Time Since System Boot
    0530 Property: Time
    0531 Property: Time Zone Offset from UTC
    0532 Property: Time Zone Name
    0533 Property: Daylight Savings Time Observed
    0534 Property: Time Trim Adjustment
    0535 Property: Arm Alarm
    0540 Data Field: Custom
    0541 Data Field: Custom Usage
    0542 Data Field: Custom Boolean Array
    0543 Data Field: Custom Value
    0544 Data Field: Custom Value 1
    0545 Data Field: Custom Value 2
    0546 Data Field: Custom Value 3
    0547 Data Field: Custom Value 4
    0548 Data Field: Custom Value 5
    0549 Data Field: Custom Value 6
    054a Data Field: Custom Value 7
    054b Data Field: Custom Value 8
    054c Data Field: Custom Value 9
    054d Data Field: Custom Value 10
    054e Data Field: Custom Value 11
    054f Data Field: Custom Value 12
    0550 Data Field: Custom Value 13
    0551 Data Field: Custom Value 14
    0552 Data Field: Custom Value 15
    0553 Data Field: Custom Value 16
    0554 Data Field: Custom Value 17
    0555 Data Field: Custom Value 18
    0556 Data Field: Custom Value 19
    0557 Data Field: Custom Value 20
    0558 Data Field: Custom Value 21
    0559 Data Field: Custom Value 22
    055a Data Field: Custom Value 23
    055b Data Field: Custom Value 24
    055c Data Field: Custom Value 25
    055d Data Field: Custom Value 26
    055e Data Field: Custom Value 27
    055f Data Field: Custom Value 28
    0560 Data Field: Generic
    0561 Data Field: Generic GUID or PROPERTYKEY
    0562 Data Field: Generic Category GUID
    0563 Data Field: Generic Type GUID
    0564 Data Field: Generic Event PROPERTYKEY
    0565 Data Field: Generic Property PROPERTYKEY
    0566 Data Field: Generic Data Field PROPERTYKEY
    0567 Data Field: Generic Event
    0568 Data Field: Generic Property
    0569 Data Field: Generic Data Field
    056a Data Field: Enumerator Table Row Index
    056b Data Field: Enumerator Table Row Count
    056c Data Field: Generic GUID or PROPERTYKEY kind
    056d Data Field: Generic GUID
    056e Data Field: Generic PROPERTYKEY
    056f Data Field: Generic Top Level Collection ID
    0570 Data Field: Generic Report ID
    0571 Data Field: Generic Report Item Position Index
    0572 Data Field: Generic Firmware VARTYPE
    0573 Data Field: Generic Unit of Measure
    0574 Data Field: Generic Unit Exponent
    0575 Data Field: Generic Report Size
    0576 Data Field: Generic Report Count
    0580 Property: Generic
    0581 Property: Enumerator Table Row Index
    0582 Property: Enumerator Table Row Count
    0590 Data Field: Personal Activity
    0591 Data Field: Activity Type
    0592 Data Field: Activity State
    0593 Data Field: Device Position
    0594 Data Field: Step Count
    0595 Data Field: Step Count Reset
    0596 Data Field: Step Duration
    0597 Data Field: Step Type
    05a0 Property: Minimum Activity Detection Interval
    05a1 Property: Supported Activity Types
    05a2 Property: Subscribed Activity Types
    05a3 Property: Supported Step Types
    05a4 Property: Subscribed Step Types
    05a5 Property: Floor Height
    05b0 Data Field: Custom Type ID
    05c0 Property: Custom
    05c1 Property: Custom Value 1
    05c2 Property: Custom Value 2
    05c3 Property: Custom Value 3
    05c4 Property: Custom Value 4
    05c5 Property: Custom Value 5
    05c6 Property: Custom Value 6
    05c7 Property: Custom Value 7
    05c8 Property: Custom Value 8
    05c9 Property: Custom Value 9
    05ca Property: Custom Value 10
    05cb Property: Custom Value 11
    05cc Property: Custom Value 12
    05cd Property: Custom Value 13
    05ce Property: Custom Value 14
    05cf Property: Custom Value 15
    05d0 Property: Custom Value 16
    05e0 Data Field: Hinge
    05e1 Data Field: Hinge Angle
    05f0 Data Field: Gesture Sensor
    05f1 Data Field: Gesture State
    05f2 Data Field: Hinge Fold Initial Angle
    05f3 Data Field: Hinge Fold Final Angle
    05f4 Data Field: Hinge Fold Contributing Panel
    05f5 Data Field: Hinge Fold Type
    0800 Sensor State: Undefined
    0801 Sensor State: Ready
    0802 Sensor State: Not Available
    0803 Sensor State: No Data
    0804 Sensor State: Initializing
    0805 Sensor State: Access Denied
    0806 Sensor State: Error
    0810 Sensor Event: Unknown
    0811 Sensor Event: State Changed
    0812 Sensor Event: Property Changed
    0813 Sensor Event: Data Updated
    0814 Sensor Event: Poll Response
    0815 Sensor Event: Change Sensitivity
    0816 Sensor Event: Range Maximum Reached
    0817 Sensor Event: Range Minimum Reached
    0818 Sensor Event: High Threshold Cross Upward
    0819 Sensor Event: High Threshold Cross Downward
    081a Sensor Event: Low Threshold Cross Upward
    081b Sensor Event: Low Threshold Cross Downward
    081c Sensor Event: Zero Threshold Cross Upward
    081d Sensor Event: Zero Threshold Cross Downward
    081e Sensor Event: Period Exceeded
    081f Sensor Event: Frequency Exceeded
    0820 Sensor Event: Complex Trigger
    0830 Connection Type: PC Integrated
    0831 Connection Type: PC Attached
    0832 Connection Type: PC External
    0840 Reporting State: Report No Events
    0841 Reporting State: Report All Events
    0842 Reporting State: Report Threshold Events
    0843 Reporting State: Wake On No Events
    0844 Reporting State: Wake On All Events
    0845 Reporting State: Wake On Threshold Events
    0850 Power State: Undefined
    0851 Power State: D0 Full Power
    0852 Power State: D1 Low Power
    0853 Power State: D2 Standby Power with Wakeup
    0854 Power State: D3 Sleep with Wakeup
    0855 Power State: D4 Power Off
    0860 Accuracy: Default
    0861 Accuracy: High
    0862 Accuracy: Medium
    0863 Accuracy: Low
    0870 Fix Quality: No Fix
    0871 Fix Quality: GPS
    0872 Fix Quality: DGPS
    0880 Fix Type: No Fix
    0881 Fix Type: GPS SPS Mode, Fix Valid
    0882 Fix Type: DGPS SPS Mode, Fix Valid
    0883 Fix Type: GPS PPS Mode, Fix Valid
    0884 Fix Type: Real Time Kinematic
    0885 Fix Type: Float RTK
    0886 Fix Type: Estimated (dead reckoned)
    0887 Fix Type: Manual Input Mode
    0888 Fix Type: Simulator Mode
    0890 GPS Operation Mode: Manual
    0891 GPS Operation Mode: Automatic
    08a0 GPS Selection Mode: Autonomous
    08a1 GPS Selection Mode: DGPS
    08a2 GPS Selection Mode: Estimated (dead reckoned)
    08a3 GPS Selection Mode: Manual Input
    08a4 GPS Selection Mode: Simulator
    08a5 GPS Selection Mode: Data Not Valid
    08b0 GPS Status Data: Valid
    08b1 GPS Status Data: Not Valid
    08c0 Day of Week: Sunday
    08c1 Day of Week: Monday
    08c2 Day of Week: Tuesday
    08c3 Day of Week: Wednesday
    08c4 Day of Week: Thursday
    08c5 Day of Week: Friday
    08c6 Day of Week: Saturday
    08d0 Kind: Category
    08d1 Kind: Type
    08d2 Kind: Event
    08d3 Kind: Property
    08d4 Kind: Data Field
    08e0 Magnetometer Accuracy: Low
    08e1 Magnetometer Accuracy: Medium
    08e2 Magnetometer Accuracy: High
    08f0 Simple Orientation Direction: Not Rotated
    08f1 Simple Orientation Direction: Rotated 90 Degrees CCW
    08f2 Simple Orientation Direction: Rotated 180 Degrees CCW
    08f3 Simple Orientation Direction: Rotated 270 Degrees CCW
    08f4 Simple Orientation Direction: Face Up
    08f5 Simple Orientation Direction: Face Down
    0900 VT_NULL
    0901 VT_BOOL
    0902 VT_UI1
    0903 VT_I1
    0904 VT_UI2
    0905 VT_I2
    0906 VT_UI4
    0907 VT_I4
    0908 VT_UI8
    0909 VT_I8
    090a VT_R4
    090b VT_R8
    090c VT_WSTR
    090d VT_STR
    090e VT_CLSID
    090f VT_VECTOR VT_UI1
    0910 VT_F16E0
    0911 VT_F16E1
    0912 VT_F16E2
    0913 VT_F16E3
    0914 VT_F16E4
    0915 VT_F16E5
    0916 VT_F16E6
    0917 VT_F16E7
    0918 VT_F16E8
    0919 VT_F16E9
    091a VT_F16EA
    091b VT_F16EB
    091c VT_F16EC
    091d VT_F16ED
    091e VT_F16EE
    091f VT_F16EF
    0920 VT_F32E0
    0921 VT_F32E1
    0922 VT_F32E2
    0923 VT_F32E3
    0924 VT_F32E4
    0925 VT_F32E5
    0926 VT_F32E6
    0927 VT_F32E7
    0928 VT_F32E8
    0929 VT_F32E9
    092a VT_F32EA
    092b VT_F32EB
    092c VT_F32EC
    092d VT_F32ED
    092e VT_F32EE
    092f VT_F32EF
    0930 Activity Type: Unknown
    0931 Activity Type: Stationary
    0932 Activity Type: Fidgeting
    0933 Activity Type: Walking
    0934 Activity Type: Running
    0935 Activity Type: In Vehicle
    0936 Activity Type: Biking
    0937 Activity Type: Idle
    0940 Unit: Not Specified
    0941 Unit: Lux
    0942 Unit: Degrees Kelvin
    0943 Unit: Degrees Celsius
    0944 Unit: Pascal
    0945 Unit: Newton
    0946 Unit: Meters/Second
    0947 Unit: Kilogram
    0948 Unit: Meter
    0949 Unit: Meters/Second/Second
    094a Unit: Farad
    094b Unit: Ampere
    094c Unit: Watt
    094d Unit: Henry
    094e Unit: Ohm
    094f Unit: Volt
    0950 Unit: Hertz
    0951 Unit: Bar
    0952 Unit: Degrees Anti-clockwise
    0953 Unit: Degrees Clockwise
    0954 Unit: Degrees
    0955 Unit: Degrees/Second
    0956 Unit: Degrees/Second/Second
    0957 Unit: Knot
    0958 Unit: Percent
    0959 Unit: Second
    095a Unit: Millisecond
    095b Unit: G
    095c Unit: Bytes
    095d Unit: Milligauss
    095e Unit: Bits
    0960 Activity State: No State Change
    0961 Activity State: Start Activity
    0962 Activity State: End Activity
    0970 Exponent 0
    0971 Exponent 1
    0972 Exponent 2
    0973 Exponent 3
    0974 Exponent 4
    0975 Exponent 5
    0976 Exponent 6
    0977 Exponent 7
    0978 Exponent 8
    0979 Exponent 9
    097a Exponent A
    097b Exponent B
    097c Exponent C
    097d Exponent D
    097e Exponent E
    097f Exponent F
    0980 Device Position: Unknown
    0981 Device Position: Unchanged
    0982 Device Position: On Desk
    0983 Device Position: In Hand
    0984 Device Position: Moving in Bag
    0985 Device Position: Stationary in Bag
    0990 Step Type: Unknown
    0991 Step Type: Running
    0992 Step Type: Walking
    09a0 Gesture State: Unknown
    09a1 Gesture State: Started
    09a2 Gesture State: Completed
    09a3 Gesture State: Cancelled
    09b0 Hinge Fold Contributing Panel: Unknown
    09b1 Hinge Fold Contributing Panel: Panel 1
    09b2 Hinge Fold Contributing Panel: Panel 2
    09b3 Hinge Fold Contributing Panel: Both
    09b4 Hinge Fold Type: Unknown
    09b5 Hinge Fold Type: Increasing
    09b6 Hinge Fold Type: Decreasing
    09c0 Human Presence Detection Type: Vendor-Defined Non-Biometric
    09c1 Human Presence Detection Type: Vendor-Defined Biometric
    09c2 Human Presence Detection Type: Facial Biometric
    09c3 Human Presence Detection Type: Audio Biometric
    1000 Modifier: Change Sensitivity Absolute
    2000 Modifier: Maximum
    3000 Modifier: Minimum
    4000 Modifier: Accuracy
    5000 Modifier: Resolution
    6000 Modifier: Threshold High
    7000 Modifier: Threshold Low
    8000 Modifier: Calibration Offset
    9000 Modifier: Calibration Multiplier
    a000 Modifier: Report Interval
    b000 Modifier: Frequency Max
    c000 Modifier: Period Max
    d000 Modifier: Change Sensitivity Percent of Range
    e000 Modifier: Change Sensitivity Percent Relative
    f000 Modifier: Vendor Reserved
    @0040 Medical Instrument
    0001 Medical Ultrasound
    0020 VCR/Acquisition
    0021 Freeze/Thaw
    0022 Clip Store
    0023 Update
    0024 Next
    0025 Save
    0026 Print
    0027 Microphone Enable
    0040 Cine
    0041 Transmit Power
    0042 Volume
    0043 Focus
    0044 Depth
    0060 Soft Step - Primary
    0061 Soft Step - Secondary
    0070 Depth Gain Compensation
    0080 Zoom Select
    0081 Zoom Adjust
    0082 Spectral Doppler Mode Select
    0083 Spectral Doppler Adjust
    0084 Color Doppler Mode Select
    0085 Color Doppler Adjust
    0086 Motion Mode Select
    0087 Motion Mode Adjust
    0088 2-D Mode Select
    0089 2-D Mode Adjust
    00a0 Soft Control Select
    00a1 Soft Control Adjust
    @0041 Braille Display
    0001 Braille Display
    0002 Braille Row
    0003 8 Dot Braille Cell
    0004 6 Dot Braille Cell
    0005 Number of Braille Cells
    0006 Screen Reader Control
    0007 Screen Reader Identifier
    00fa Router Set 1
    00fb Router Set 2
    00fc Router Set 3
    0100 Router Key
    0101 Row Router Key
    0200 Braille Buttons
    0201 Braille Keyboard Dot 1
    0202 Braille Keyboard Dot 2
    0203 Braille Keyboard Dot 3
    0204 Braille Keyboard Dot 4
    0205 Braille Keyboard Dot 5
    0206 Braille Keyboard Dot 6
    0207 Braille Keyboard Dot 7
    0208 Braille Keyboard Dot 8
    0209 Braille Keyboard Space
    020a Braille Keyboard Left Space
    020b Braille Keyboard Right Space
    020c Braille Face Controls
    020d Braille Left Controls
    020e Braille Right Controls
    020f Braille Top Controls
    0210 Braille Joystick Center
    0211 Braille Joystick Up
    0212 Braille Joystick Down
    0213 Braille Joystick Left
    0214 Braille Joystick Right
    0215 Braille D-Pad Center
    0216 Braille D-Pad Up
    0217 Braille D-Pad Down
    0218 Braille D-Pad Left
    0219 Braille D-Pad Right
    021a Braille Pan Left
    021b Braille Pan Right
    021c Braille Rocker Up
    021d Braille Rocker Down
    021e Braille Rocker Press
    @0059 Lighting And Illumination
    0001 LampArray
    0002 LampArrayAttributesReport
    0003 LampCount
    0004 BoundingBoxWidthInMicrometers
    0005 BoundingBoxHeightInMicrometers
    0006 BoundingBoxDepthInMicrometers
    0007 LampArrayKind
    0008 MinUpdateIntervalInMicroseconds
    0020 LampAttributesRequestReport
    0021 LampId
    0022 LampAttributesResponseReport
    0023 PositionXInMicrometers
    0024 PositionYInMicrometers
    0025 PositionZInMicrometers
    0026 LampPurposes
    0027 UpdateLatencyInMicroseconds
    0028 RedLevelCount
    0029 GreenLevelCount
    002a BlueLevelCount
    002b IntensityLevelCount
    002c IsProgrammable
    002d InputBinding
    0050 LampMultiUpdateReport
    0051 RedUpdateChannel
    0052 GreenUpdateChannel
    0053 BlueUpdateChannel
    0054 IntensityUpdateChannel
    0055 LampUpdateFlags
    0060 LampRangeUpdateReport
    0061 LampIdStart
    0062 LampIdEnd
    0070 LampArrayControlReport
    0071 AutonomousMode
    @0080 Monitor
    0001 Monitor Control
    0002 EDID Information
    0003 VDIF Information
    0004 VESA Version
    @0081 Monitor Enumerated
    @0082 VESA Virtual Controls
    0001 Degauss
    0010 Brightness
    0012 Contrast
    0016 Red Video Gain
    0018 Green Video Gain
    001a Blue Video Gain
    001c Focus
    0020 Horizontal Position
    0022 Horizontal Size
    0024 Horizontal Pincushion
    0026 Horizontal Pincushion Balance
    0028 Horizontal Misconvergence
    002a Horizontal Linearity
    002c Horizontal Linearity Balance
    0030 Vertical Position
    0032 Vertical Size
    0034 Vertical Pincushion
    0036 Vertical Pincushion Balance
    0038 Vertical Misconvergence
    003a Vertical Linearity
    003c Vertical Linearity Balance
    0040 Parallelogram Distortion (Key Balance)
    0042 Trapezoidal Distortion (Key)
    0044 Tilt (Rotation)
    0046 Top Corner Distortion Control
    0048 Top Corner Distortion Balance
    004a Bottom Corner Distortion Control
    004c Bottom Corner Distortion Balance
    0056 Horizontal Moire
    0058 Vertical Moire
    005e Input Level Select
    0060 Input Source Select
    006c Red Video Black Level
    006e Green Video Black Level
    0070 Blue Video Black Level
    00a2 Auto Size Center
    00a4 Polarity Horizontal Synchronization
    00a6 Polarity Vertical Synchronization
    00a8 Synchronization Type
    00aa Screen Orientation
    00ac Horizontal Frequency
    00ae Vertical Frequency
    00b0 Settings
    00ca On Screen Display
    00d4 Stereo Mode
    @0084 Power
    0001 iName
    0002 Present Status
    0003 Changed Status
    0004 UPS
    0005 Power Supply
    0010 Battery System
    0011 Battery System Id
    0012 Battery
    0013 Battery Id
    0014 Charger
    0015 Charger Id
    0016 Power Converter
    0017 Power Converter Id
    0018 Outlet System
    0019 Outlet System Id
    001a Input
    001b Input Id
    001c Output
    001d Output Id
    001e Flow
    001f Flow Id
    0020 Outlet
    0021 Outlet Id
    0022 Gang
    0023 Gang Id
    0024 Power Summary
    0025 Power Summary Id
    0030 Voltage
    0031 Current
    0032 Frequency
    0033 Apparent Power
    0034 Active Power
    0035 Percent Load
    0036 Temperature
    0037 Humidity
    0038 Bad Count
    0040 Config Voltage
    0041 Config Current
    0042 Config Frequency
    0043 Config Apparent Power
    0044 Config Active Power
    0045 Config Percent Load
    0046 Config Temperature
    0047 Config Humidity
    0050 Switch On Control
    0051 Switch Off Control
    0052 Toggle Control
    0053 Low Voltage Transfer
    0054 High Voltage Transfer
    0055 Delay Before Reboot
    0056 Delay Before Startup
    0057 Delay Before Shutdown
    0058 Test
    0059 Module Reset
    005a Audible Alarm Control
    0060 Present
    0061 Good
    0062 Internal Failure
    0063 Voltag Out Of Range
    0064 Frequency Out Of Range
    0065 Overload
    0066 Over Charged
    0067 Over Temperature
    0068 Shutdown Requested
    0069 Shutdown Imminent
    006b Switch On/Off
    006c Switchable
    006d Used
    006e Boost
    006f Buck
    0070 Initialized
    0071 Tested
    0072 Awaiting Power
    0073 Communication Lost
    00fd iManufacturer
    00fe iProduct
    00ff iSerialNumber
    @0085 Battery System
    0001 Smart Battery Battery Mode
    0002 Smart Battery Battery Status
    0003 Smart Battery Alarm Warning
    0004 Smart Battery Charger Mode
    0005 Smart Battery Charger Status
    0006 Smart Battery Charger Spec Info
    0007 Smart Battery Selector State
    0008 Smart Battery Selector Presets
    0009 Smart Battery Selector Info
    0010 Optional Mfg Function 1
    0011 Optional Mfg Function 2
    0012 Optional Mfg Function 3
    0013 Optional Mfg Function 4
    0014 Optional Mfg Function 5
    0015 Connection To SM Bus
    0016 Output Connection
    0017 Charger Connection
    0018 Battery Insertion
    0019 Use Next
    001a OK To Use
    001b Battery Supported
    001c Selector Revision
    001d Charging Indicator
    0028 Manufacturer Access
    0029 Remaining Capacity Limit
    002a Remaining Time Limit
    002b At Rate
    002c Capacity Mode
    002d Broadcast To Charger
    002e Primary Battery
    002f Charge Controller
    0040 Terminate Charge
    0041 Terminate Discharge
    0042 Below Remaining Capacity Limit
    0043 Remaining Time Limit Expired
    0044 Charging
    0045 Discharging
    0046 Fully Charged
    0047 Fully Discharged
    0048 Conditioning Flag
    0049 At Rate OK
    004a Smart Battery Error Code
    004b Need Replacement
    0060 At Rate Time To Full
    0061 At Rate Time To Empty
    0062 Average Current
    0063 Max Error
    0064 Relative State Of Charge
    0065 Absolute State Of Charge
    0066 Remaining Capacity
    0067 Full Charge Capacity
    0068 Run Time To Empty
    0069 Average Time To Empty
    006a Average Time To Full
    006b Cycle Count
    0080 Battery Pack Model Level
    0081 Internal Charge Controller
    0082 Primary Battery Support
    0083 Design Capacity
    0084 Specification Info
    0085 Manufacture Date
    0086 Serial Number
    0087 iManufacturer Name
    0088 iDevice Name
    0089 iDevice Chemistry
    008a Manufacturer Data
    008b Rechargable
    008c Warning Capacity Limit
    008d Capacity Granularity 1
    008e Capacity Granularity 2
    008f iOEM Information
    00c0 Inhibit Charge
    00c1 Enable Polling
    00c2 Reset To Zero
    00d0 AC Present
    00d1 Battery Present
    00d2 Power Fail
    00d3 Alarm Inhibited
    00d4 Thermistor Under Range
    00d5 Thermistor Hot
    00d6 Thermistor Cold
    00d7 Thermistor Over Range
    00d8 Voltage Out Of Range
    00d9 Current Out Of Range
    00da Current Not Regulated
    00db Voltage Not Regulated
    00dc Master Mode
    00f0 Charger Selector Support
    00f1 Charger Spec
    00f2 Level 2
    00f3 Level 3
    @008c Barcode Scanner
    0001 Barcode Badge Reader
    0002 Barcode Scanner
    0003 Dumb Bar Code Scanner
    0004 Cordless Scanner Base
    0005 Bar Code Scanner Cradle
    0010 Attribute Report
    0011 Settings Report
    0012 Scanned Data Report
    0013 Raw Scanned Data Report
    0014 Trigger Report
    0015 Status Report
    0016 UPC/EAN Control Report
    0017 EAN 2/3 Label Control Report
    0018 Code 39 Control Report
    0019 Interleaved 2 of 5 Control Report
    001a Standard 2 of 5 Control Report
    001b MSI Plessey Control Report
    001c Codabar Control Report
    001d Code 128 Control Report
    001e Misc 1D Control Report
    001f 2D Control Report
    0030 Aiming/Pointer Mode
    0031 Bar Code Present Sensor
    0032 Class 1A Laser
    0033 Class 2 Laser
    0034 Heater Present
    0035 Contact Scanner
    0036 Electronic Article Surveillance Notification
    0037 Constant Electronic Article Surveillance
    0038 Error Indication
    0039 Fixed Beeper
    003a Good Decode Indication
    003b Hands Free Scanning
    003c Intrinsically Safe
    003d Klasse Eins Laser
    003e Long Range Scanner
    003f Mirror Speed Control
    0040 Not On File Indication
    0041 Programmable Beeper
    0042 Triggerless
    0043 Wand
    0044 Water Resistant
    0045 Multi-Range Scanner
    0046 Proximity Sensor
    004d Fragment Decoding
    004e Scanner Read Confidence
    004f Data Prefix
    0050 Prefix AIMI
    0051 Prefix None
    0052 Prefix Proprietary
    0055 Active Time
    0056 Aiming Laser Pattern
    0057 Bar Code Present
    0058 Beeper State
    0059 Laser On Time
    005a Laser State
    005b Lockout Time
    005c Motor State
    005d Motor Timeout
    005e Power On Reset Scanner
    005f Prevent Read of Barcodes
    0060 Initiate Barcode Read
    0061 Trigger State
    0062 Trigger Mode
    0063 Trigger Mode Blinking Laser On
    0064 Trigger Mode Continuous Laser On
    0065 Trigger Mode Laser on while Pulled
    0066 Trigger Mode Laser stays on after release
    006d Commit Parameters to NVM
    006e Parameter Scanning
    006f Parameters Changed
    0070 Set parameter default values
    0075 Scanner In Cradle
    0076 Scanner In Range
    007a Aim Duration
    007b Good Read Lamp Duration
    007c Good Read Lamp Intensity
    007d Good Read LED
    007e Good Read Tone Frequency
    007f Good Read Tone Length
    0080 Good Read Tone Volume
    0082 No Read Message
    0083 Not on File Volume
    0084 Powerup Beep
    0085 Sound Error Beep
    0086 Sound Good Read Beep
    0087 Sound Not On File Beep
    0088 Good Read When to Write
    0089 GRWTI After Decode
    008a GRWTI Beep/Lamp after transmit
    008b GRWTI No Beep/Lamp use at all
    0091 Bookland EAN
    0092 Convert EAN 8 to 13 Type
    0093 Convert UPC A to EAN-13
    0094 Convert UPC-E to A
    0095 EAN-13
    0096 EAN-8
    0097 EAN-99 128 Mandatory
    0098 EAN-99 P5/128 Optional
    0099 Enable EAN Two Label
    009a UPC/EAN
    009b UPC/EAN Coupon Code
    009c UPC/EAN Periodicals
    009d UPC-A
    009e UPC-A with 128 Mandatory
    009f UPC-A with 128 Optional
    00a0 UPC-A with P5 Optional
    00a1 UPC-E
    00a2 UPC-E1
    00a9 Periodical
    00aa Periodical Auto-Discriminate +2
    00ab Periodical Only Decode with +2
    00ac Periodical Ignore +2
    00ad Periodical Auto-Discriminate +5
    00ae Periodical Only Decode with +5
    00af Periodical Ignore +5
    00b0 Check
    00b1 Check Disable Price
    00b2 Check Enable 4 digit Price
    00b3 Check Enable 5 digit Price
    00b4 Check Enable European 4 digit Price
    00b5 Check Enable European 5 digit Price
    00b7 EAN Two Label
    00b8 EAN Three Label
    00b9 EAN 8 Flag Digit 1
    00ba EAN 8 Flag Digit 2
    00bb EAN 8 Flag Digit 3
    00bc EAN 13 Flag Digit 1
    00bd EAN 13 Flag Digit 2
    00be EAN 13 Flag Digit 3
    00bf Add EAN 2/3 Label Definition
    00c0 Clear all EAN 2/3 Label Definitions
    00c3 Codabar
    00c4 Code 128
    00c7 Code 39
    00c8 Code 93
    00c9 Full ASCII Conversion
    00ca Interleaved 2 of 5
    00cb Italian Pharmacy Code
    00cc MSI/Plessey
    00cd Standard 2 of 5 IATA
    00ce Standard 2 of 5
    00d3 Transmit Start/Stop
    00d4 Tri-Optic
    00d5 UCC/EAN-128
    00d6 Check Digit
    00d7 Check Digit Disable
    00d8 Check Digit Enable Interleaved 2 of 5 OPCC
    00d9 Check Digit Enable Interleaved 2 of 5 USS
    00da Check Digit Enable Standard 2 of 5 OPCC
    00db Check Digit Enable Standard 2 of 5 USS
    00dc Check Digit Enable One MSI Plessey
    00dd Check Digit Enable Two MSI Plessey
    00de Check Digit Codabar Enable
    00df Check Digit Code 39 Enable
    00f0 Transmit Check Digit
    00f1 Disable Check Digit Transmit
    00f2 Enable Check Digit Transmit
    00fb Symbology Identifier 1
    00fc Symbology Identifier 2
    00fd Symbology Identifier 3
    00fe Decoded Data
    00ff Decode Data Continued
    0100 Bar Space Data
    0101 Scanner Data Accuracy
    0102 Raw Data Polarity
    0103 Polarity Inverted Bar Code
    0104 Polarity Normal Bar Code
    0106 Minimum Length to Decode
    0107 Maximum Length to Decode
    0108 Discrete Length to Decode 1
    0109 Discrete Length to Decode 2
    010a Data Length Method
    010b DL Method Read any
    010c DL Method Check in Range
    010d DL Method Check for Discrete
    0110 Aztec Code
    0111 BC412
    0112 Channel Code
    0113 Code 16
    0114 Code 32
    0115 Code 49
    0116 Code One
    0117 Colorcode
    0118 Data Matrix
    0119 MaxiCode
    011a MicroPDF
    011b PDF-417
    011c PosiCode
    011d QR Code
    011e SuperCode
    011f UltraCode
    0120 USD-5 (Slug Code)
    0121 VeriCode
    @008d Scales
    0001 Scales
    0020 Scale Device
    0021 Scale Class
    0022 Scale Class I Metric
    0023 Scale Class II Metric
    0024 Scale Class III Metric
    0025 Scale Class IIIL Metric
    0026 Scale Class IV Metric
    0027 Scale Class III English
    0028 Scale Class IIIL English
    0029 Scale Class IV English
    002a Scale Class Generic
    0030 Scale Attribute Report
    0031 Scale Control Report
    0032 Scale Data Report
    0033 Scale Status Report
    0034 Scale Weight Limit Report
    0035 Scale Statistics Report
    0040 Data Weight
    0041 Data Scaling
    0050 Weight Unit
    0051 Weight Unit Milligram
    0052 Weight Unit Gram
    0053 Weight Unit Kilogram
    0054 Weight Unit Carats
    0055 Weight Unit Taels
    0056 Weight Unit Grains
    0057 Weight Unit Pennyweights
    0058 Weight Unit Metric Ton
    0059 Weight Unit Avoir Ton
    005a Weight Unit Troy Ounce
    005b Weight Unit Ounce
    005c Weight Unit Pound
    0060 Calibration Count
    0061 Re-Zero Count
    0070 Scale Status
    0071 Scale Status Fault
    0072 Scale Status Stable at Center of Zero
    0073 Scale Status In Motion
    0074 Scale Status Weight Stable
    0075 Scale Status Under Zero
    0076 Scale Status Over Weight Limit
    0077 Scale Status Requires Calibration
    0078 Scale Status Requires Rezeroing
    0080 Zero Scale
    0081 Enforced Zero Return
    @008e Magnetic Stripe Reader
    0001 MSR Device Read-Only
    0011 Track 1 Length
    0012 Track 2 Length
    0013 Track 3 Length
    0014 Track JIS Length
    0020 Track Data
    0021 Track 1 Data
    0022 Track 2 Data
    0023 Track 3 Data
    0024 Track JIS Data
    @0090 Camera Control
    0020 Camera Auto-focus
    0021 Camera Shutter
    @0091 Arcade
    0001 General Purpose IO Card
    0002 Coin Door
    0003 Watchdog Timer
    0030 General Purpose Analog Input State
    0031 General Purpose Digital Input State
    0032 General Purpose Optical Input State
    0033 General Purpose Digital Output State
    0034 Number of Coin Doors
    0035 Coin Drawer Drop Count
    0036 Coin Drawer Start
    0037 Coin Drawer Service
    0038 Coin Drawer Tilt
    0039 Coin Door Test
    0040 Coin Door Lockout
    0041 Watchdog Timeout
    0042 Watchdog Action
    0043 Watchdog Reboot
    0044 Watchdog Restart
    0045 Alarm Input
    0046 Coin Door Counter
    0047 I/O Direction Mapping
    0048 Set I/O Direction Mapping
    0049 Extended Optical Input State
    004a Pin Pad Input State
    004b Pin Pad Status
    004c Pin Pad Output
    004d Pin Pad Command
    @f1d0 FIDO Alliance
    0001 U2F Authenticator Device
    0020 Input Report Data
    0021 Output Report Data
    """
}
