// SPDX-License-Identifier: Apache-2.0
import HIDBus
import Synchronization

extension SimulatedInterface {
  /// Returns whether a program has the interface open and would receive reports now.
  ///
  /// The kernel sends the open event before the client has a queue (hidraw.c, 6.12), and also for
  /// its own drivers. So on the kernel's bus the open files of processes are examined. The open
  /// event is required too, so that the next report counts as received.
  ///
  /// - Parameters:
  ///   - reader: The kind of node; on the loopback bus every client counts, but not as a reader of
  ///     evdev.
  ///   - countsOwn: True to count this process on the kernel's bus; it always counts on the
  ///     loopback bus.
  func hasReader(
    _ reader: HIDNodeReader = .any, countingOwn countsOwn: Bool = false
  ) async -> Bool {
    let (port, record) = state.withLock { ($0.attachment.port, $0.attachment.record) }
    guard isOpen, let port, let record else { return false }
    // The nodes of a device that another machine has imported are not known.
    if record.bus != .kernel { return record.bus == .usb || reader != .evdev }
    let nodes = nodes(of: reader)
    guard countsOwn else { return NodeReaders.isAnyOpen(nodes) }
    let held = await port.isolation == .grabbed ? record.eventNodes : []
    return NodeReaders.isAnyOpen(nodes, countingOwn: true, held: held)
  }

  /// Returns the paths of the nodes that readers open; none if the device is not plugged, or on
  /// another bus than the kernel's.
  func nodes(of reader: HIDNodeReader) -> [String] {
    guard let record, record.bus == .kernel else { return [] }
    var nodes: [String] = []
    if reader != .evdev, let node = record.hidrawNode { nodes.append(node) }
    if reader != .hidraw { nodes += record.eventNodes }
    return nodes
  }
}
