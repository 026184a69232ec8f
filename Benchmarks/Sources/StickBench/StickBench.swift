// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import InputStick

/// A benchmark of the packets of an InputStick, like `scripts/bench.d/stick.c`.
@main enum StickBench {
  static func main() async throws {
    let words = CommandLine.arguments
    if words.count == 4, words[1] == "drive", let seconds = Int(words[3]) {
      return try await drive(StickEndpoint(words[2]), for: seconds)
    }
    guard words.count == 4, let count = Int(words[2]), let blocks = Int(words[3]),
      (1...17).contains(blocks), ["encode", "decode"].contains(words[1])
    else {
      print("usage: StickBench encode|decode COUNT BLOCKS, or drive PLACE SECONDS")
      exit(64)
    }
    let key = StickKey([UInt8](repeating: 1, count: 16))
    guard let key else { exit(3) }
    // Both ends of a session: the stick's and the client's.
    var stick = StickLink(key: key)
    var client = StickClientLink()
    let request = client.authentication(key, withHMAC: true) { [UInt8](repeating: 5, count: $0) }
    let answer = stick.authenticate(request, hmacKey: [UInt8](repeating: 9, count: 32))
    guard client.authenticated(by: answer) else { exit(3) }

    var packet = StickPacket(
      StickCommand.shortKeyboardReports.rawValue, 64, [UInt8](repeating: 0, count: blocks * 16 - 6))
    let decodes = words[1] == "decode"
    var frames: [[UInt8]] = []
    frames.reserveCapacity(decodes ? count : 0)
    var sum: UInt64 = 0
    var began = MonotonicTime.now
    for index in 0..<count {
      packet.data[0] = UInt8(truncatingIfNeeded: index)
      guard let bytes = client.frame(of: packet, wantsAnswer: true)?.bytes else { exit(3) }
      sum &+= UInt64(bytes[bytes.count - 1])
      if decodes { frames.append(bytes) }
    }
    if decodes {
      began = .now
      var reader = StickFrameReader(of: .client)
      for bytes in frames {
        var rest = bytes[...]
        while case .frame(let frame)? = reader.next(&rest) {
          guard let found = try? stick.packet(of: frame) else { exit(3) }
          sum &+= UInt64(found.command) &+ UInt64(found.parameter)
        }
      }
    }
    let nanoseconds = (MonotonicTime.now.duration(since: began) / .nanoseconds(1)) / Double(count)
    print("\((nanoseconds * 10).rounded() / 10) \(sum)")
  }

  /// Sends 1,000 encrypted packets a second, and prints the number of answers.
  static func drive(_ place: StickEndpoint, for seconds: Int) async throws {
    let channel = try await StickChannel.connected(to: place)
    var link = StickClientLink()
    var reader = StickFrameReader(of: .stick)
    /// The frames that have arrived, but are not read yet: each is a part of the encrypted stream.
    var frames: [StickFrame] = []
    var chunks = channel.chunks.makeAsyncIterator()
    /// Sends a packet, and waits for its answer.
    func ask(_ packet: StickPacket) async throws -> StickPacket {
      guard let frame = link.frame(of: packet, wantsAnswer: true) else { exit(3) }
      channel.send(frame.bytes)
      while true {
        while !frames.isEmpty {
          let found = try link.packet(of: frames.removeFirst())
          if found.command == packet.command { return found }
        }
        guard let chunk = await chunks.next(isolation: #isolation) else { exit(3) }
        for case .frame(let frame) in reader.take(chunk) { frames.append(frame) }
        channel.takeMore()
      }
    }
    _ = try await ask(StickPacket(StickCommand.runFirmware.rawValue))
    let request = link.authentication(try StickKey(password: "abc123"), withHMAC: true) { count in
      .random(count: count)
    }
    guard link.authenticated(by: try await ask(request)) else { exit(3) }
    var answered = 0
    let began = MonotonicTime.now
    for number in 0..<1000 * seconds {
      try await Timeline.real.sleep(
        until: began.advanced(by: .milliseconds(number)))
      _ = try await ask(StickPacket(StickCommand.shortKeyboardReports.rawValue, 1, [0, 0]))
      answered += 1
    }
    print(answered)
  }
}
