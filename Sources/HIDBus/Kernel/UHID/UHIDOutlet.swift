// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import SystemPackage

/// The writer of input reports to the kernel, with buffers that belong to a port's connection.
///
/// It holds no reference to the connection, which would cost time for each report. That is safe:
/// only the port releases the connection, on its loop, and so not while it sends.
struct UHIDOutlet: BitwiseCopyable {
  /// The greatest number of messages in one `writev`: the number of reports that hidraw keeps for a
  /// reader.
  static let vectorCount = 63
  /// The greatest length of a report that is copied without a function call.
  ///
  /// The buffer has room for ``vectorCount`` reports of this length.
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

  /// Writes as many reports as one system call takes, and returns the index of the next report.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the batch.
  ///   - batch: The reports.
  ///   - start: The index of the first report to write.
  ///   - limit: The greatest number of reports to write.
  ///   - length: The length in bytes that all these reports have; `nil` if their lengths may
  ///     differ.
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

  /// Lays out up to `limit` reports of any lengths, as many as the buffer has room for.
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

  /// Lays out an input message, and returns its number of bytes.
  @inline(__always)
  private func putInput(_ report: Span<UInt8>, at offset: Int) -> Int {
    putHeader(report.count, at: offset)
    let header = UHIDEvent.inputHeaderByteCount
    report.withUnsafeBytes { source in
      guard source.count > Self.shortReport else {
        return copyShort(source, at: 0, source.count, to: offset + header)
      }
      UnsafeMutableRawBufferPointer(rebasing: buffer[(offset + header)...])
        .copyMemory(from: source)
    }
    return header + report.count
  }

  /// Lays out the headers and vectors for reports of one length, which can be used for all later
  /// reports of that length.
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
