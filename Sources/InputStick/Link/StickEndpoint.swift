// SPDX-License-Identifier: Apache-2.0

/// The address of the link of a stick (a simulated InputStick): `unix:PATH`, `tcp:PORT` or `pty`;
/// for a client also the path of a terminal.
package enum StickEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// A socket at a path.
  case unix(String)
  /// A port of this machine's loopback address; 0 for any free port.
  case tcp(UInt16)
  /// A pseudo-terminal: the one with this path; nil for a new one.
  case terminal(String?)

  /// The reason why a text is not the address of a link.
  package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message for the user.
    package let description: String
  }

  /// Reads the address of a link.
  ///
  /// - Throws: `Malformed`, whose description says what is expected.
  package init(_ text: String) throws(Malformed) {
    func rest(after prefix: String) -> String? {
      text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
    if text == "pty" {
      self = .terminal(nil)
    } else if let path = rest(after: "unix:") {
      guard !path.isEmpty else {
        throw Malformed(description: "unix: needs a path, such as unix:/tmp/stick")
      }
      self = .unix(path)
    } else if let number = rest(after: "tcp:") {
      guard let port = UInt16(number) else {
        throw Malformed(
          description: "tcp: needs a port from 0 to 65535, such as tcp:5555; the address is always "
            + "that of this machine, 127.0.0.1")
      }
      self = .tcp(port)
    } else if let path = rest(after: "pty:") ?? (text.hasPrefix("/dev/") ? text : nil),
      !path.isEmpty
    {
      self = .terminal(path)
    } else {
      throw Malformed(description: "expected unix:PATH, tcp:PORT or pty")
    }
  }

  /// The address as text, which ``init(_:)`` reads; `pty` for a new terminal.
  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let port): "tcp:\(port)"
    case .terminal(let path?): path.hasPrefix("/dev/") ? path : "pty:\(path)"
    case .terminal(nil): "pty"
    }
  }
}
