// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDBus
import IOLoop

/// Checks that a USB device takes any bytes of a host, and replies to each message once at most.
@c(LLVMFuzzerTestOneInput)
public func hostTransfers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  let whole = requests([bytes[...]])
  expect(requests(fuzzPieces(bytes)) == whole, "cut, they are other messages")
  expect(whole.count <= bytes.count / 48 + 1, "\(whole.count) messages of \(bytes.count) bytes")
  var device = USBTransferEngine(description)
  var actions = FuzzMaterial(bytes)
  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  // The transfers that have no reply, and the number of bytes that each takes from the device.
  var waiting: [UInt32: [Int]] = [:]
  for case .success(let request) in whole {
    let unlinked: UInt32?
    switch request {
    case .submit(let transfer):
      waiting[transfer.sequence, default: []].append(
        transfer.isFromDevice ? transfer.length : 0)
      unlinked = nil
    case .unlink(let sequence, let target):
      unlinked = sequence
      _ = target
    }
    device.receive(request, at: now)
    check(device.takeReplies(), &waiting, unlinked)
    for event in device.takeEvents() {
      guard actions.byte() & 3 != 0 else { continue }
      switch event {
      case .getReport(let token, _, _, _):
        device.answerGet(token, [UInt8](repeating: 7, count: Int(actions.byte())))
      case .setReport(let token, _, _, _, _):
        device.answerSet(token, accepted: actions.byte() & 1 == 0)
      default: break
      }
    }
    let interface = Int(actions.byte() & 1)
    let report = [UInt8](repeating: 1, count: Int(actions.byte()))
    _ = device.send(report.span, interface: interface, at: now)
    now = now.advanced(by: .microseconds(Int(actions.byte()) * 20))
    device.advance(to: now)
    check(device.takeReplies(), &waiting, nil)
    for interface in 0..<2 {
      let limit = USBInputEndpoint.capacity + USBInputEndpoint.longestQueue
      expect(device.pendingCount(interface: interface) <= limit, "too many reports wait")
    }
  }
  device.end()
  check(device.takeReplies(), &waiting, nil)
  return 0
}

/// Checks that each reply is the only one to its message, and has at most the bytes that the host
/// asked for.
private func check(_ replies: [USBIPReply], _ waiting: inout [UInt32: [Int]], _ unlinked: UInt32?) {
  var unlinkReplies = 0
  for reply in replies {
    switch reply {
    case .submit(let sequence, let status, let count, let data):
      // A host can give several transfers one number: the reply is to any that takes its bytes.
      var lengths = (waiting[sequence] ?? []).sorted()
      expect(!lengths.isEmpty, "a second reply to \(sequence)")
      let index = lengths.firstIndex { $0 >= data.count }
      expect(index != nil, "\(data.count) bytes for \(lengths)")
      if let index { lengths.remove(at: index) }
      expect(data.isEmpty || data.count == count, "a wrong count")
      expect(status <= 0, "status \(status)")
      waiting[sequence] = lengths
    case .unlink(let sequence, _):
      unlinkReplies += 1
      expect(sequence == unlinked, "a reply to \(sequence), which was not withdrawn")
    }
  }
  expect(unlinkReplies == (unlinked == nil ? 0 : 1), "\(unlinkReplies) replies to a withdrawal")
}

/// A device with two interfaces, the first with an endpoint for output reports.
private let description: USBDeviceDescription = {
  var device = USBDeviceDescription(
    vendorID: 1, productID: 2, versionNumber: 3,
    interfaces: [
      USBInterfaceDescription(
        reportDescriptor: [0xC0], input: .init(packetByteCount: 8, interval: 1),
        output: .init(packetByteCount: 8, interval: 1)),
      USBInterfaceDescription(
        reportDescriptor: [0xC0], input: .init(packetByteCount: 64, interval: 3)),
    ])
  device.interfaces[0].boot = .keyboard
  device.wakesHosts = true
  device.strings = [200: "tablet"]
  return device
}()

/// Returns the messages of a connection whose bytes arrive in pieces, and the error that ends it.
private func requests(_ pieces: [ArraySlice<UInt8>]) -> [Result<USBIPRequest, USBIPError>] {
  var reader = USBIPRequestReader()
  var requests: [Result<USBIPRequest, USBIPError>] = []
  for piece in pieces {
    reader.append(piece)
    do throws(USBIPError) {
      while let request = try reader.next() { requests.append(.success(request)) }
    } catch {
      requests.append(.failure(error))
    }
  }
  return requests
}
