// SPDX-License-Identifier: Apache-2.0

/// A format of traces.
public enum HIDTraceFormat: String, Hashable, Sendable, CaseIterable {
  /// The text of hid-recorder, with the host's events in `#!` lines.
  case recorder
  /// The commands of Android's `hid` program.
  case android
  /// The output of `libinput record --with-hidraw`.
  case libinput
  /// umockdev's description of devices and its scripts of reads and writes.
  case umockdev
  /// A capture of USB packets, in pcap or pcapng.
  case usb

  /// The name of the format for users.
  public var title: String {
    switch self {
    case .recorder: "hid-recorder's text"
    case .android: "commands of Android's hid program"
    case .libinput: "a recording of libinput"
    case .umockdev: "a recording of umockdev"
    case .usb: "a capture of USB packets"
    }
  }

  /// Finds the format of a trace by its first 64 KiB.
  ///
  /// Content that is empty, or has only blank lines and comments that begin with `#`, counts as
  /// ``recorder``.
  ///
  /// - Throws: A problem with the start of the content if it has none of the formats, or if it
  ///   cannot be read.
  public static func detect(_ source: HIDTraceSource) throws(HIDTraceError) -> HIDTraceFormat {
    let start = try source.bytes(at: 0, count: 64 * 1024)
    if CaptureTraceDecoder.isCapture(start) { return .usb }
    if AndroidTraceDecoder.isAndroid(start) { return .android }
    if LibinputTraceDecoder.isLibinput(start) { return .libinput }
    if UmockdevTraceDecoder.isUmockdev(start) { return .umockdev }
    if let problem = RecorderTraceDecoder.refusal(of: start, named: source.name) {
      throw HIDTraceError(problem)
    }
    return .recorder
  }

  /// Makes a decoder of the format.
  // This function and `detect` name the decoder of each format, and each decoder uses the types of
  // this folder: so the folders of the formats and this folder use each other.
  func decoder(
    _ source: HIDTraceSource, _ options: HIDTraceReadingOptions
  ) throws(HIDTraceError) -> any TraceDecoder {
    switch self {
    case .recorder: try RecorderTraceDecoder(source, options)
    case .android: try AndroidTraceDecoder(source, options)
    case .libinput: try LibinputTraceDecoder(source, options)
    case .umockdev: try UmockdevTraceDecoder(source, options)
    case .usb: try CaptureTraceDecoder(source, options)
    }
  }
}
