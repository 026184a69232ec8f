// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDText
import InputStick
import TestSupport

/// A recorded case: the behaviour of the InputStick's published client libraries.
///
/// The cases are in the folder that `HIDSIM_INPUTSTICK_CASES` names, or else in the corpus.
struct InputStickCase: Decodable, Sendable {
  let `case`: String
  let client: String
  let kind: String
  var fw: Int?
  var session: String?
  var call: String?
  var tx: [String]?
  var clear: [String]?
  var strokes: [String: [String]?]?
  var password: String?
  var key: String?
  var bytes: String?
  var packets: [StreamPacket]?
  var ev: [TranscriptEvent]?

  /// An event of a transcript: its time, kind and value.
  struct TranscriptEvent: Decodable, Sendable {
    let time: Int
    let kind: String
    let value: String

    init(from decoder: any Decoder) throws {
      var parts = try decoder.unkeyedContainer()
      time = try parts.decode(Int.self)
      kind = try parts.decode(String.self)
      value = try parts.decode(String.self)
    }
  }

  /// A parser's result for a stream: the index of the byte that completed the packet, and the
  /// packet.
  enum StreamPacket: Decodable, Sendable {
    case packet(index: Int, title: String, data: String)
    /// The payload from the command on, by the Android library.
    case payload(String)

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .payload(text)
        return
      }
      var parts = try decoder.unkeyedContainer()
      self = .packet(
        index: try parts.decode(Int.self), title: try parts.decode(String.self),
        data: try parts.decode(String.self))
    }
  }

  static let folder: URL =
    ProcessInfo.processInfo.environment["HIDSIM_INPUTSTICK_CASES"].map { URL(filePath: $0) }
    ?? DescriptorCorpus.directory.appending(path: "inputstick")

  static let all: [InputStickCase] = {
    guard
      let text = try? String(contentsOf: folder.appending(path: "cases.jsonl"), encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").map { line in
      do {
        return try JSONDecoder().decode(InputStickCase.self, from: Data(line.utf8))
      } catch {
        fatalError("a case cannot be read: \(error): \(line.prefix(200))")
      }
    }
  }()

  static func of(_ kind: String, client: String? = nil) -> [InputStickCase] {
    all.filter { $0.kind == kind && (client == nil || $0.client == client) }
  }
}

/// The handshake before the calls of a session.
struct InputStickSession: Decodable, Sendable {
  let client: String
  let session: String
  let fw: Int
  let handshakeTx: [String]
  var key: String?
  var hmacKey: String?

  static let all: [InputStickSession] =
    (try? Data(contentsOf: InputStickCase.folder.appending(path: "sessions.json"))).flatMap {
      try? JSONDecoder().decode([InputStickSession].self, from: $0)
    } ?? []
}

/// Returns the bytes of a text in hexadecimal.
func bytes(_ hex: String) -> [UInt8] { HexText.bytes(word: hex) ?? [] }

/// Returns bytes in hexadecimal, in capitals and without blanks, as in the cases.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  Array(bytes).hexText.filter { $0 != " " }.uppercased()
}

/// Returns the bytes of a client's packet without encryption.
func clientPacket(
  _ command: UInt8, _ parameter: UInt8 = 0, _ data: [UInt8] = [], wantsAnswer: Bool = true
) -> [UInt8] {
  var frame = StickFrame(payload: StickPacket(command, parameter, data).payload ?? [])
  frame.wantsAnswer = wantsAnswer
  return frame.bytes
}
