// SPDX-License-Identifier: Apache-2.0

/// An event node to which usages are being mapped.
struct EvdevNodeDraft {
  /// The application by which later reports are assigned to the node.
  var application: UInt32
  var suffix: String?
  var repeatsSuffix = false
  /// True if the node has slots for contacts.
  var hasSlots = false
  private let madeFor: UInt32
  private var types: UInt32 = 0
  /// The bits of all codes: first 12 words for keys, then one word each for `EV_REL`, `EV_ABS`,
  /// `EV_MSC` and `EV_LED`.
  private var words = [UInt64](repeating: 0, count: 16)
  private var properties: UInt8 = 0
  private var axes: [UInt16: EvdevAxis] = [:]

  init(application: UInt32, suffix: String?) {
    self.application = application
    self.suffix = suffix
    madeFor = application
  }

  /// True if the kernel registers the node: it has an event type or a code, even if only
  /// repetition.
  var isPopulated: Bool { types != 0 || words.contains { $0 != 0 } }

  // MARK: Bits

  private static func place(_ code: EvdevCode) -> (word: Int, bit: UInt64) {
    let number = Int(code.number)
    switch code.type {
    case .key: return (min(number >> 6, 11), 1 << UInt64(number & 63))
    case .relative: return (12, 1 << UInt64(number & 63))
    case .absolute: return (13, 1 << UInt64(number & 63))
    case .miscellaneous: return (14, 1 << UInt64(number & 63))
    case .led, .synchronization, .autorepeat: return (15, 1 << UInt64(number & 63))
    }
  }

  func contains(_ code: EvdevCode) -> Bool {
    let (word, bit) = Self.place(code)
    return words[word] & bit != 0
  }

  /// Adds a code, but not its type; the kernel drops codes whose type is never added.
  mutating func insert(_ code: EvdevCode) {
    let (word, bit) = Self.place(code)
    words[word] |= bit
  }

  mutating func remove(_ code: EvdevCode) {
    let (word, bit) = Self.place(code)
    words[word] &= ~bit
  }

  mutating func insert(_ type: EvdevEventType) { types |= 1 << UInt32(type.rawValue) }

  /// Adds a code and its type.
  mutating func insertCapability(_ code: EvdevCode) {
    insert(code.type)
    insert(code)
  }

  mutating func insert(_ property: EvdevProperty) { properties |= 1 << property.rawValue }

  // MARK: Axes

  /// Adds an axis with its range to the node; without `resolution`, an earlier resolution stays.
  mutating func setAxis(
    _ code: EvdevCode, _ minimum: Int32, _ maximum: Int32, fuzz: Int32 = 0, flat: Int32 = 0,
    resolution: Int32? = nil
  ) {
    insertCapability(code)
    axes[code.number] = EvdevAxis(
      code: code, minimum: minimum, maximum: maximum, fuzz: fuzz, flat: flat,
      resolution: resolution ?? axes[code.number]?.resolution ?? 0)
  }

  /// Adds an axis with the range of the axis `source`, if the node has `source`.
  mutating func copyAxis(_ source: EvdevCode, to code: EvdevCode) {
    guard contains(source), let axis = axes[source.number] else { return }
    insert(code)
    axes[code.number] = EvdevAxis(
      code: code, minimum: axis.minimum, maximum: axis.maximum, fuzz: 0,
      flat: axis.flat, resolution: axis.resolution)
  }

  // MARK: Usages

  /// Adds the effects of a usage other than its code.
  mutating func apply(_ effects: EvdevRule.Effects) {
    guard !effects.isEmpty else { return }
    if effects.contains(.autorepeat) { insert(.autorepeat) }
    if effects.contains(.pointer) { insert(.pointer) }
    if effects.contains(.direct) { insert(.direct) }
    if effects.contains(.touchKey), !contains(.touch) { insertCapability(.touch) }
    if effects.contains(.rubberKey) { insert(EvdevCode.toolRubber) }
    if effects.contains(.wheel) { insert(EvdevCode.wheel) }
    if effects.contains(.horizontalWheel) { insert(EvdevCode.horizontalWheel) }
  }

  /// Maps a usage whose effects are already added.
  ///
  /// - Returns: True if the usage got its code.
  mutating func map(_ code: EvdevCode, by rule: EvdevRule, _ field: EvdevField, at index: Int)
    -> Bool
  {
    insert(code.type)
    if !rule.isShared, contains(code) { return false }
    insert(code)
    switch code.type {
    // The node also sends the usage of a key, as a scan code.
    case .key: insertCapability(.scan)
    case .absolute:
      setAxis(code, of: field)
      if rule.isHat {
        setAxis(.hat0X, -1, 1)
        setAxis(.hat0Y, -1, 1)
      }
      if code == .volume, field.isRelative(at: index) {
        // Volume steps are sent as keys.
        insert(EvdevCode.volumeUp)
        insert(EvdevCode.volumeDown)
      }
    default: break
    }
    return true
  }

  private mutating func setAxis(_ code: EvdevCode, of field: EvdevField) {
    let minimum = field.logicalMinimum
    let extent = field.logicalMaximum &- minimum
    let isStick =
      field.around.application == EvdevUsage.gamepad
      || field.around.application == EvdevUsage.joystick
    setAxis(
      code, minimum, field.logicalMaximum, fuzz: isStick ? extent >> 8 : 0,
      flat: isStick ? extent >> 4 : 0, resolution: field.resolution(of: code))
  }

  // MARK: Registration

  /// Returns the finished node, without codes whose event type the node lacks.
  func registered() -> EvdevNode {
    let types = EvdevEventType.allCases.filter {
      $0 == .synchronization || self.types & 1 << UInt32($0.rawValue) != 0
    }
    let codes = types.flatMap { type -> [EvdevCode] in
      guard type != .synchronization, type != .autorepeat else { return [] }
      // KEY_RESERVED is never sent.
      let first: UInt16 = type == .key ? 1 : 0
      return (first...UInt16(type.maximumNumber)).map { EvdevCode(type, $0) }.filter(contains)
    }
    return EvdevNode(
      application: madeFor == 0 ? nil : HIDUsage(extended: madeFor), suffix: suffix,
      eventTypes: types, codes: codes,
      axes: codes.compactMap { $0.type == .absolute ? axes[$0.number] : nil },
      properties: EvdevProperty.allCases.filter { properties & 1 << $0.rawValue != 0 },
      repeatsSuffix: repeatsSuffix)
  }
}
