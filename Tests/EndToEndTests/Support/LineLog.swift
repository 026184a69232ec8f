// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The lines that a program has written so far, with a wait for the next one.
final class LineLog: Sendable {
  private struct State: Sendable {
    var lines: [String] = []
    var partial: [UInt8] = []
    var isEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(State())

  /// All lines so far.
  var lines: [String] { state.withLock { $0.lines } }

  func append(_ bytes: [UInt8]) {
    wake { state in
      for byte in bytes {
        guard byte == 0x0A else {
          state.partial.append(byte)
          continue
        }
        state.lines.append(String(decoding: state.partial, as: UTF8.self))
        state.partial = []
      }
    }
  }

  /// Ends the log when the program has closed its end.
  ///
  /// A last line without a line feed counts as a line.
  func end() {
    wake { state in
      if !state.partial.isEmpty {
        state.lines.append(String(decoding: state.partial, as: UTF8.self))
      }
      state.partial = []
      state.isEnded = true
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state in
      change(&state)
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the line at an index.
  ///
  /// - Returns: The line, or nil if the program ended before it.
  func line(at index: Int) async -> String? {
    while true {
      let (line, isEnded) = state.withLock { state in
        (state.lines.indices.contains(index) ? state.lines[index] : nil, state.isEnded)
      }
      if line != nil || isEnded { return line }
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.lines.count > index || state.isEnded { return true }
          state.waiters.append(continuation)
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }
}
