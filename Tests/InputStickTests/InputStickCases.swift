// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDText
import IOLoop
import InputStick
import TestSupport

/// What the published client libraries of the InputStick did, as it was recorded.
///
/// The cases are in the folder that `HIDSIM_INPUTSTICK_CASES` names, else in the corpus.
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

  /// An event of a transcript: when, what, its value.
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

  /// What a parser made of a stream: the index of the byte that completed it, and what it was.
  enum StreamPacket: Decodable, Sendable {
    case packet(index: Int, title: String, data: String)
    /// Of the Android library: the payload from the command on.
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

/// The bytes of a text in hexadecimal.
func bytes(_ hex: String) -> [UInt8] { HexText.bytes(word: hex) ?? [] }

/// Bytes in hexadecimal, in capitals and without blanks, as the cases have them.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  Array(bytes).hexText.filter { $0 != " " }.uppercased()
}

/// The bytes of a client's packet in the clear.
func clientPacket(
  _ command: UInt8, _ parameter: UInt8 = 0, _ data: [UInt8] = [], wantsAnswer: Bool = true
) -> [UInt8] {
  var frame = StickFrame(payload: StickPacket(command, parameter, data).payload ?? [])
  frame.wantsAnswer = wantsAnswer
  return frame.bytes
}
