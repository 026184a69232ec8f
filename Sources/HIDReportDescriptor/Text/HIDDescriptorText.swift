// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// A report descriptor that was read from a text, with the locations of its bytes or items.
///
/// A descriptor that was read from bytes (`binary`) has no locations.
///
/// A text can contain several descriptors: C arrays, devices of a recording, or interfaces of a
/// device file.
public struct HIDDescriptorText: Hashable, Sendable {
  /// The identity that a device reports.
  public struct Identity: Hashable, Sendable {
    /// The bus type of the kernel: 3 for USB, 5 for Bluetooth; `nil` if the text does not give it.
    public var busType: UInt16?
    /// The vendor ID.
    public var vendorID: UInt16
    /// The product ID.
    public var productID: UInt16

    /// Creates an identity from its numbers.
    public init(busType: UInt16? = nil, vendorID: UInt16, productID: UInt16) {
      self.busType = busType
      self.vendorID = vendorID
      self.productID = productID
    }
  }

  /// The descriptor, which is not checked: hosts may refuse it.
  public let bytes: [UInt8]
  /// The format of the text.
  public let format: HIDDescriptorFormat
  /// The name of the descriptor or its device in the text; `nil` if the text does not give it.
  public let name: String?
  /// The identity of the device; `nil` if the text does not give it.
  public let identity: Identity?

  /// The locations of the bytes or items in the text, by ascending offset.
  private let places: HIDDescriptorPlaces

  init(
    bytes: [UInt8], format: HIDDescriptorFormat, name: String? = nil, identity: Identity? = nil,
    places: HIDDescriptorPlaces
  ) {
    self.bytes = bytes
    self.format = format
    self.name = name
    self.identity = identity
    self.places = places
  }

  /// Returns the location of a byte of the descriptor, or of the item around it.
  ///
  /// A program can use the location to show an error or a lint finding at its line.
  ///
  /// - Parameter offset: The offset of the byte, from 0.
  /// - Returns: The location; `nil` if the descriptor was read from bytes, not from a text, or is
  ///   empty.
  public func location(ofByte offset: Int) -> HIDTextLocation? { places.location(ofByte: offset) }

  /// The length of the longest text that is read, in bytes.
  public static let maximumTextByteCount = 1 << 20
  /// The length of the longest descriptor that is read, in bytes.
  ///
  /// The kernel accepts less. Descriptors that are too long for the kernel are read so that lint
  /// can report them.
  public static let maximumDescriptorByteCount = 65_536
  /// The message about a descriptor with more than ``maximumDescriptorByteCount`` bytes.
  static let tooLongMessage =
    "the report descriptor is longer than \(maximumDescriptorByteCount) bytes"
  /// The maximum number of descriptors in one text; a text with more is refused.
  public static let maximumDescriptorCount = 1024

  /// Reads the descriptors of a text.
  ///
  /// - Parameter bytes: The text, in UTF-8, or the bytes of a descriptor. It can be hostile.
  /// - Parameter name: The name of the text in messages.
  /// - Parameter format: The format; `nil` to detect it, as ``HIDDescriptorFormat/detect(_:)``
  ///   does.
  /// - Returns: The descriptors in the order of the text, at least one. Those of a recording are in
  ///   the order in which their devices first appear.
  /// - Throws: The first problem, with its location. A capture of packets is refused if the format
  ///   is `nil` or `binary`; an empty text, a gzip file and UTF-16 if it is `nil`.
  public static func read(
    _ bytes: [UInt8], name: String, format: HIDDescriptorFormat? = nil
  ) throws(HIDTextProblem) -> [HIDDescriptorText] {
    guard bytes.count <= maximumTextByteCount else {
      throw HIDTextProblem(
        file: name, location: .start,
        message: "the text is \(bytes.count) bytes long, and the limit is \(maximumTextByteCount)")
    }
    if format == nil { try refuseWhatIsNone(bytes, name: name) }
    // Refuse a capture even if the caller gives `.binary`: no report descriptor begins like one.
    if format == nil || format == .binary, CaptureContainer(bytes) != nil {
      throw HIDTextProblem(
        file: name, location: .start,
        message: "expected a report descriptor, found a capture of packets",
        help: "hidsim describe \(name) prints the report descriptors that it holds")
    }
    switch format ?? .detect(bytes) {
    case .binary: return [try binary(bytes, name: name)]
    case .hex: return try HexDescriptorReader(bytes, file: name, format: .hex).read()
    case .text: return try HexDescriptorReader(bytes, file: name, format: .text).read()
    case .tree: return try HexDescriptorReader(bytes, file: name, format: .tree).read()
    case .debugfs: return try HexDescriptorReader(bytes, file: name, format: .debugfs).read()
    case .c: return try CDescriptorReader(bytes, file: name).read()
    case .lines: return try LinesDescriptorReader(bytes, file: name).read()
    case .recording: return try RecordingDescriptorReader(bytes, file: name).read()
    case .items: return try JSONDescriptorReader(bytes, file: name).read()
    }
  }

  private static func refuseWhatIsNone(_ bytes: [UInt8], name: String) throws(HIDTextProblem) {
    let help: String
    if bytes.isEmpty {
      help = ""
    } else if bytes.starts(with: [0x1f, 0x8b]) {
      help = "unpack it first: gunzip -k"
    } else if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      help = "save it as UTF-8"
    } else {
      return
    }
    let found =
      bytes.isEmpty ? "an empty file" : bytes[0] == 0x1f ? "a gzip file" : "text in UTF-16"
    throw HIDTextProblem(
      file: name, location: .start, message: "expected a report descriptor, found \(found)",
      help: help.isEmpty ? nil : help)
  }

  private static func binary(
    _ bytes: [UInt8], name: String
  ) throws(HIDTextProblem) -> HIDDescriptorText {
    guard bytes.count <= maximumDescriptorByteCount else {
      throw HIDTextProblem(
        file: name, location: .start,
        message: "the report descriptor is \(bytes.count) bytes long, and the limit is "
          + "\(maximumDescriptorByteCount)")
    }
    return HIDDescriptorText(bytes: bytes, format: .binary, places: HIDDescriptorPlaces())
  }
}

/// The locations in a text of the bytes of a descriptor.
struct HIDDescriptorPlaces: Hashable, Sendable {
  private var offsets: [Int] = []
  private var locations: [HIDTextLocation] = []

  /// Adds a location; offsets must not decrease.
  mutating func add(_ offset: Int, _ location: HIDTextLocation) {
    offsets.append(offset)
    locations.append(location)
  }

  /// Returns the last location at or before a byte, else the first; `nil` without locations.
  func location(ofByte offset: Int) -> HIDTextLocation? {
    var low = 0
    var high = offsets.count
    while low < high {
      let middle = (low + high) / 2
      if offsets[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? locations[low - 1] : locations.first
  }
}
