// SPDX-License-Identifier: Apache-2.0

/// Where one of our devices says it is: the physical path that readiness and ownership go by.
///
/// `hidsim-<16 hex digits>/input<N>`: interfaces of one device share the digits. A ``place`` may stand before it:
/// `usb-0000:00:14.0-2/hidsim-…/input0`. `/long` follows where input reports may be longer than declared, for readers
/// to leave room; `/live`, last, where the device is meant for the desktop of whoever is logged in, for udev's rules
/// to see.
public struct HIDPhysicalPath: Hashable, Sendable, CustomStringConvertible {
  /// The longest place, in bytes: with it the path of an interface below 10 has no more than the 63 that the kernel
  /// keeps, whatever marks follow, and that of any without the mark `/long`.
  public static let maximumPlaceByteCount = 22

  /// Where the device says that it is plugged; empty where it does not say.
  public let place: String
  /// The ID of the device's first interface.
  public let deviceID: HIDDeviceID
  /// Which interface of the device it is, from 0.
  public let interface: Int
  /// Whether input reports may be longer than declared.
  public var allowsLongInput: Bool
  /// Whether the device is meant for the desktop of whoever is logged in.
  public var isLive: Bool

  /// Makes a path.
  ///
  /// - Parameter place: Where the device says that it is plugged; what ``isPlace(_:)`` refuses is left out.
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

  /// Whether a device can say that it is plugged there.
  ///
  /// One to 22 letters, digits and `:` `.` `_` `@` `+` `-`, in parts with `/` between, none of which begins with
  /// `hidsim-`.
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

  /// What the part with our number begins with.
  private static let mark = "hidsim-"

  /// Reads a path, or says that it is none of ours.
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
    // Upper case, a sign, a leading zero, another mark: not ours.
    guard description == text else { return nil }
  }

  /// The device ID of the interface itself.
  public var interfaceID: HIDDeviceID {
    HIDDeviceID(rawValue: deviceID.rawValue | UInt64(interface))
  }

  /// The path as it stands in the kernel's `phys`.
  public var description: String {
    let start = place.isEmpty ? "" : "\(place)/"
    let end = "\(allowsLongInput ? "/long" : "")\(isLive ? "/live" : "")"
    return "\(start)\(Self.mark)\(deviceID)/input\(interface)\(end)"
  }
}
