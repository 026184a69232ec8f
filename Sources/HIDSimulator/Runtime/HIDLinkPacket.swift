// SPDX-License-Identifier: Apache-2.0

/// A packet on the command link of a device, such as the Bluetooth side of an InputStick.
public struct HIDLinkPacket: Hashable, Sendable {
  /// The direction of a packet.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    /// From the client of the link to the device.
    case received
    /// From the device to the client.
    case sent
  }

  /// The direction of the packet.
  public let direction: Direction
  /// The name of its command; nil if the packet could not be read, or the command is unknown.
  public let command: String?
  /// The content in the clear, the command's byte first; nil if the packet could not be read.
  public let content: [UInt8]?
  /// The bytes on the link, header and trailer included.
  public let bytes: [UInt8]
  /// True if the content was encrypted on the link.
  public let isEncrypted: Bool
  /// The reason why the device could not read the packet; nil if it could.
  public let problem: String?

  /// Makes a packet.
  package init(
    _ direction: Direction, command: String?, content: [UInt8]?, bytes: [UInt8], isEncrypted: Bool,
    problem: String? = nil
  ) {
    self.direction = direction
    self.command = command
    self.content = content
    self.bytes = bytes
    self.isEncrypted = isEncrypted
    self.problem = problem
  }
}

/// A change of the command link of a device.
public enum HIDLinkChange: Hashable, Sendable {
  /// Clients can connect at an address, such as `unix:/tmp/stick`.
  case listening(String)
  /// A client has connected.
  case connected
  /// The client has disconnected or was disconnected; the text is the reason, a clause.
  case disconnected(String)
  /// A client was refused; the text is the reason, a clause.
  case refused(String)
}

/// An action of a test on the command link of a device, or on its USB state.
public enum HIDLinkAction: Hashable, Sendable {
  /// The device ignores this number of next packets from the client.
  case drop(Int)
  /// One bit is wrong in each of this number of next packets to the client.
  case corrupt(Int)
  /// The second half of each of this number of next packets to the client is missing.
  case truncate(Int)
  /// The device refuses this number of next packets with reports, as if its buffers were full.
  case overflow(Int)
  /// All packets to the client are delayed by this time, until the next delay is set.
  case delay(Duration)
  /// The link is cut.
  case disconnect
  /// The device restarts: queues and session are gone, the host sees it leave and come back, and
  /// the link stays.
  case reset
  /// The device restarts after its watchdog has found it stuck, and sends 300 bytes `AF` first.
  case watchdog
  /// The host suspends the device.
  case suspend
  /// The host resumes the device.
  case resume
}

/// The command link of a plugged device, as the owner of the link provides it.
package struct HIDDeviceLink: Sendable {
  /// The address where clients connect: `unix:PATH`, `tcp:PORT` or the path of a terminal.
  package let place: String
  /// The name that clients see, such as the Bluetooth name of the device.
  package let name: String
  /// Performs an action on the link.
  package let perform: @Sendable (HIDLinkAction) async -> Void

  /// Makes a link.
  package init(
    place: String, name: String, perform: @escaping @Sendable (HIDLinkAction) async -> Void
  ) {
    self.place = place
    self.name = name
    self.perform = perform
  }
}
