// SPDX-License-Identifier: Apache-2.0

/// The physical path of a device of this library, used to detect readiness and ownership.
///
/// The format is `hidsim-<16 hex digits>/input<N>`: interfaces of one device share the digits. A
/// ``place`` may precede it: `usb-0000:00:14.0-2/hidsim-…/input0`. `/long` follows if input
/// reports may be longer than declared, so that readers leave room. `/live` comes last, for udev's
/// rules, if the desktop of the logged-in user may use the device.
public struct HIDPhysicalPath: Hashable, Sendable, CustomStringConvertible {
  /// The greatest length of ``place``, in bytes.
  ///
  /// The kernel keeps 63 bytes of a path. With this length the path fits for every interface below
  /// 10, and for every interface that does not have both `/long` and `/live`.
  public static let maximumPlaceByteCount = 22

  /// The indices that an interface can have; the low 8 bits of ``interfaceID`` hold the index.
  static let interfaces = 0...255

  /// The location at which the device claims to be plugged; empty if it claims none.
  public let place: String
  /// The ID of the device's first interface.
  public let deviceID: HIDDeviceID
  /// The index of the interface in its device, from 0.
  ///
  /// A bus refuses an interface with an index outside 0…255.
  public let interface: Int
  /// True if input reports may be longer than declared.
  public var allowsLongInput: Bool
  /// True if the desktop of the logged-in user may use the device.
  public var isLive: Bool

  /// Makes a path.
  ///
  /// - Parameters:
  ///   - place: The location at which the device claims to be plugged. A text that ``isPlace(_:)``
  ///     refuses is replaced by an empty one.
  ///   - deviceID: The ID of the device's first interface.
  ///   - interface: The index of the interface in its device, from 0 to 255.
  ///   - allowsLongInput: True if input reports may be longer than declared.
  ///   - isLive: True if the desktop of the logged-in user may use the device.
  public init(
    place: String = "", deviceID: HIDDeviceID, interface: Int, allowsLongInput: Bool = false,
    isLive: Bool = false
  ) {
    self.place = Self.isPlace(place) ? place : ""
    self.deviceID = deviceID
    self.interface = interface
    self.allowsLongInput = allowsLongInput
    self.isLive = isLive
  }

  /// Returns whether a text is a valid ``place``.
  ///
  /// A valid text has 1 to 22 bytes: parts of ASCII letters, ASCII digits and `:` `.` `_` `@` `+`
  /// `-`, separated by `/`. No part is empty or begins with `hidsim-`.
  public static func isPlace(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return text.utf8.count <= maximumPlaceByteCount
      && parts.allSatisfy { part in
        !part.isEmpty && !part.starts(with: mark.utf8) && part.allSatisfy(isPlaceByte)
      }
  }

  private static func isPlaceByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ":._@+-".utf8.contains(byte)
    }
  }

  /// The prefix of the path component that contains the device ID.
  private static let mark = "hidsim-"

  /// Parses a path; `nil` if it is not one of this library.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let own = parts.firstIndex(where: { $0.hasPrefix(Self.mark) }), own + 1 < parts.count,
      parts[own].utf8.count == Self.mark.utf8.count + 16, parts[own + 1].hasPrefix("input"),
      let id = UInt64(parts[own].dropFirst(Self.mark.count), radix: 16),
      let interface = UInt8(parts[own + 1].dropFirst(5))
    else { return nil }
    let marks = parts[(own + 2)...]
    self.init(
      place: parts[..<own].joined(separator: "/"), deviceID: HIDDeviceID(rawValue: id),
      interface: Int(interface), allowsLongInput: marks.contains("long"),
      isLive: marks.contains("live"))
    // A path with an upper-case digit, a sign, a leading zero or another mark is not ours.
    guard description == text else { return nil }
  }

  /// The device ID of the interface itself: that of the device, with the index in its low 8 bits.
  ///
  /// The index must be in 0…255.
  public var interfaceID: HIDDeviceID {
    HIDDeviceID(rawValue: deviceID.rawValue | UInt64(interface))
  }

  /// Checks that a bus can plug an interface with this path.
  ///
  /// - Parameter name: The device as the message names it.
  /// - Throws: `invalidArgument` for an interface with an index outside 0…255.
  func check(for name: String) throws(HIDBusError) {
    guard Self.interfaces.contains(interface) else {
      throw HIDBusError(
        .invalidArgument,
        """
        plug "\(name)": its interface has the index \(interface); expected 0 to \
        \(Self.interfaces.upperBound)
        """)
    }
  }

  /// The path as the kernel's `phys` contains it.
  public var description: String {
    let start = place.isEmpty ? "" : "\(place)/"
    let end = "\(allowsLongInput ? "/long" : "")\(isLive ? "/live" : "")"
    return "\(start)\(Self.mark)\(deviceID)/input\(interface)\(end)"
  }
}
