// SPDX-License-Identifier: Apache-2.0

import HIDWire
import Synchronization

extension SimulatedInterface {
  /// Whether a program has it open, and would get what is sent now.
  ///
  /// The kernel tells of an opening before it has a queue for the one who opens (hidraw.c, 6.12), and of its own drivers as
  /// well: there, who has a node open is looked up. That the kernel has told is waited for too, so that what is sent next
  /// counts as heard.
  ///
  /// - Parameters:
  ///   - reader: By which node; on the loopback bus a client is anything but a reader of evdev.
  ///   - countsOwn: Whether this process counts where the bus is the kernel's; it does on the loopback bus.
  func hasReader(
    _ reader: HIDScript.Reader = .any, countingOwn countsOwn: Bool = false
  ) async -> Bool {
    let (port, record) = state.withLock { ($0.port, $0.record) }
    guard isOpen, let port, let record else { return false }
    if record.bus == .loopback { return reader != .evdev }
    var nodes: [String] = []
    if reader != .evdev { nodes.append(record.address) }
    if reader != .hidraw { nodes += record.eventNodes }
    guard countsOwn else { return NodeReaders.isAnyOpen(nodes) }
    let held = await port.isolation == .grabbed ? record.eventNodes : []
    return NodeReaders.isAnyOpen(nodes, countingOwn: true, held: held)
  }
}
