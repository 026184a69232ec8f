// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import InputStick

/// Checks that a stick and a client take any bytes of each other, however they are cut.
@c(LLVMFuzzerTestOneInput)
public func stickPackets(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  guard let first = bytes.first else { return 0 }
  let firmware = StickFirmware(91 + Int(first) % 22) ?? .latest
  let key = first & 0x80 == 0 ? nil : try? StickKey(password: "abc123")
  var stick = StickModel(firmware, key: key, hmacKey: [UInt8](0..<32))
  stick.usbState = .configured
  var cuts = FuzzMaterial(bytes)
  var rest = bytes.dropFirst()
  var answers: [UInt8] = []
  while !rest.isEmpty {
    let part = rest.prefix(Int(cuts.byte() % 31) + 1)
    rest = rest.dropFirst(part.count)
    let leds = stick.setLEDs(cuts.byte())
    for case .send(let answer) in leds + stick.receive(Array(part)) + stick.status()
      + stick.restoreSecond()
    {
      answers += answer
    }
    expect(stick.takePackets().count <= part.count + 4, "more packets than bytes")
    for interface in StickReport.Interface.allCases {
      expect(
        stick.queues.count(interface) <= firmware.capacity(interface), "\(interface) is over-full")
      _ = stick.poll(interface)
    }
  }
  // The stick sends only whole packets, with a correct checksum unless they are encrypted.
  for event in frames(answers, of: .stick) {
    guard case .frame(let frame) = event else {
      expect(false, "the stick sent \(event)")
      continue
    }
    if !frame.isEncrypted {
      expect((try? StickPacket(payload: frame.payload.span)) != nil, "a wrong checksum")
    }
  }
  let whole = frames(bytes, of: .stick)
  expect(whole.count <= bytes.count / 3 + 1, "\(whole.count) packets of \(bytes.count) bytes")
  for case .frame(let frame) in whole { expect(frame.payload.count % 16 == 0, "half a block") }
  return 0
}

private func frames(
  _ bytes: [UInt8], of sender: StickFrameReader.Sender
) -> [StickFrameReader.Event] {
  var reader = StickFrameReader(of: sender)
  return reader.take(bytes)
}
