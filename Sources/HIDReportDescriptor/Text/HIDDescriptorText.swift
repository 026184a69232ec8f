// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// A report descriptor that stood in a file, and where each of its bytes stood.
///
/// A text may hold several: arrays of C, devices of a recording, interfaces of a device file.
public struct HIDDescriptorText: Hashable, Sendable {
  /// Who a device says it is.
  public struct Identity: Hashable, Sendable {
    /// The bus type of the kernel: 3 for USB, 5 for Bluetooth; `nil` where the text does not say.
    public var busType: UInt16?
    /// The vendor ID.
    public var vendorID: UInt16
    /// The product ID.
    public var productID: UInt16

    /// Makes an identity from its numbers.
    public init(busType: UInt16? = nil, vendorID: UInt16, productID: UInt16) {
      self.busType = busType
      self.vendorID = vendorID
      self.productID = productID
    }
  }

  /// The descriptor; it can be one that nobody accepts.
  public let bytes: [UInt8]
  /// How the text was written.
  public let format: HIDDescriptorFormat
  /// What the text calls the descriptor or its device.
  public let name: String?
  /// Who the device is, where the text says so.
  public let identity: Identity?

  /// Where the text of a descriptor begins, and then of each byte or item: ascending offsets.
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

  /// Where a byte of the descriptor stood, or the item around it.
  ///
  /// Shows an error or a finding of lint at its line.
  ///
  /// - Parameter offset: The byte, counted from 0.
  /// - Returns: The place; `nil` where the text was no text but bytes.
  public func location(ofByte offset: Int) -> HIDTextLocation? { places.location(ofByte: offset) }

  /// The longest text that is read, in bytes.
  public static let maximumTextByteCount = 1 << 20
  /// The longest descriptor that is read, in bytes.
  ///
  /// The kernel takes less, but lint is to say so.
  public static let maximumDescriptorByteCount = 65_536
  /// The message about a longer descriptor.
  static let tooLongMessage =
    "the report descriptor is longer than \(maximumDescriptorByteCount) bytes"
  /// The most descriptors that are read from one text.
  public static let maximumDescriptorCount = 1024

  /// Reads the descriptors of a text.
  ///
  /// - Parameter bytes: The text, in UTF-8, or the bytes of a descriptor. It can be hostile.
  /// - Parameter name: What messages call it.
  /// - Parameter format: How it is written; `nil` to find out, as ``HIDDescriptorFormat/detect(_:)`` does.
  /// - Returns: The descriptors in the order of the text, at least one.
  /// - Throws: What is wrong first, and where.
  public static func read(
    _ bytes: [UInt8], name: String, format: HIDDescriptorFormat? = nil
  ) throws(HIDTextProblem) -> [HIDDescriptorText] {
    guard bytes.count <= maximumTextByteCount else {
      throw HIDTextProblem(
        file: name, location: .start,
        message: "the text is \(bytes.count) bytes long, and the limit is \(maximumTextByteCount)")
    }
    if format == nil { try refuseWhatIsNone(bytes, name: name) }
    // Also if the caller asks for `.binary`: no report descriptor begins as a capture does.
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

/// Where the bytes of a descriptor stood in a text.
struct HIDDescriptorPlaces: Hashable, Sendable {
  private var offsets: [Int] = []
  private var locations: [HIDTextLocation] = []

  /// Adds a place; offsets never go back.
  mutating func add(_ offset: Int, _ location: HIDTextLocation) {
    offsets.append(offset)
    locations.append(location)
  }

  /// The last place at or before a byte, else the first.
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
