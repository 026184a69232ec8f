// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDWire
import SystemPackage

/// Where input reports leave for the kernel: what a port's connection lends it while it is there.
///
/// The port alone lets go of that, on its loop, and so not while it sends: a report need not be one more user of it.
struct UHIDOutlet: BitwiseCopyable {
  /// How many messages one `writev` carries at most: what hidraw keeps for a reader.
  static let vectorCount = 63
  /// How long a report is at most that is copied without a call: as many of them as there are vectors fit into the buffer.
  private static let shortReport = 64

  private let descriptor: FileDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private let vectors: UnsafeMutableBufferPointer<iovec>
  private let preparedByteCount: UnsafeMutablePointer<Int>

  init(_ connection: UHIDConnection) {
    descriptor = connection.channel.pollDescriptor
    buffer = connection.outgoing
    vectors = connection.vectors
    preparedByteCount = connection.preparedByteCount
  }

  /// Writes as many reports as one system call takes, and says which one is next.
  ///
  /// - Parameters:
  ///   - limit: How many there are to be written.
  ///   - length: The length that all of them have; nil where they may have several.
  func writeSome(
    _ bytes: Span<UInt8>, of batch: HIDReportBatch, from start: Int, atMost limit: Int,
    length: Int?
  ) throws(Errno) -> Int {
    var used = 0
    var count = min(limit, vectors.count)
    if let length, length <= Self.shortReport {
      if length != preparedByteCount.pointee { prepare(length) }
      bytes.withUnsafeBytes { source in
        var from = batch.byteRange(ofReport: start).lowerBound
        var to = UHIDEvent.inputHeaderByteCount
        for _ in 0..<count {
          copyShort(source, at: from, length, to: to)
          from &+= length
          to &+= length &+ UHIDEvent.inputHeaderByteCount
        }
      }
      used = count * (length + UHIDEvent.inputHeaderByteCount)
    } else {
      (count, used) = put(bytes, of: batch, from: start, atMost: count)
    }
    let filled = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(vectors)[..<count])
    return start + (try UHIDChannel.write(filled, byteCount: used, to: descriptor))
  }

  /// Lays out reports of any lengths, as many as there is room for.
  private func put(
    _ bytes: Span<UInt8>, of batch: HIDReportBatch, from start: Int, atMost limit: Int
  ) -> (count: Int, byteCount: Int) {
    preparedByteCount.pointee = 0
    var used = 0
    for index in 0..<limit {
      let report = bytes.extracting(batch.byteRange(ofReport: start + index))
      guard used + UHIDEvent.inputHeaderByteCount + report.count <= buffer.count else {
        return (index, used)
      }
      let length = putInput(report, at: used)
      vectors[index] = iovec(
        iov_base: buffer.baseAddress.map { $0 + used }, iov_len: length)
      used += length
    }
    return (limit, used)
  }

  /// Writes one report.
  @inline(__always)
  func write(_ report: Span<UInt8>) throws(Errno) {
    preparedByteCount.pointee = 0
    let length = putInput(report, at: 0)
    try UHIDChannel.write(UnsafeRawBufferPointer(rebasing: buffer[..<length]), to: descriptor)
  }

  /// Lays an input message out, and says how many bytes it has.
  @inline(__always)
  private func putInput(_ report: Span<UInt8>, at offset: Int) -> Int {
    putHeader(report.count, at: offset)
    let header = UHIDEvent.inputHeaderByteCount
    report.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(rebasing: buffer[(offset + header)...])
        .copyMemory(from: source)
    }
    return header + report.count
  }

  /// Lays out the messages of reports of one length, but for the reports: they stay for the next ones.
  private func prepare(_ length: Int) {
    let stride = UHIDEvent.inputHeaderByteCount + length
    for index in vectors.indices {
      putHeader(length, at: index * stride)
      vectors[index] = iovec(
        iov_base: buffer.baseAddress.map { $0 + index * stride }, iov_len: stride)
    }
    preparedByteCount.pointee = length
  }

  /// Copies a short report.
  @inline(__always)
  private func copyShort(
    _ source: UnsafeRawBufferPointer, at start: Int, _ count: Int, to target: Int
  ) {
    var index = 0
    while index &+ 8 <= count {
      buffer.storeBytes(
        of: source.loadUnaligned(fromByteOffset: start &+ index, as: UInt64.self),
        toByteOffset: target &+ index, as: UInt64.self)
      index &+= 8
    }
    while index < count {
      buffer.storeBytes(
        of: source.loadUnaligned(fromByteOffset: start &+ index, as: UInt8.self),
        toByteOffset: target &+ index, as: UInt8.self)
      index &+= 1
    }
  }

  @inline(__always)
  private func putHeader(_ length: Int, at offset: Int) {
    buffer.storeBytes(of: UInt32(UHID_INPUT2.rawValue), toByteOffset: offset, as: UInt32.self)
    buffer.storeBytes(of: UInt16(length), toByteOffset: offset + 4, as: UInt16.self)
  }
}
