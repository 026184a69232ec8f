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
  /// The name of the packet's command; nil if the packet could not be read, or the command is
  /// unknown.
  public let command: String?
  /// The content in the clear, the command's byte first; nil if the packet could not be read.
  public let content: [UInt8]?
  /// The bytes on the link, header and trailer included.
  ///
  /// The bytes of a sent packet are those before `corrupt` or `truncate` changes them.
  public let bytes: [UInt8]
  /// True if the content was encrypted on the link.
  public let isEncrypted: Bool
  /// The reason why the device could not read the packet; nil if it could, and for a sent packet.
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
///
/// A number or delay stays when the client disconnects or the device restarts. A later action of
/// the same kind replaces it.
public enum HIDLinkAction: Hashable, Sendable {
  /// The device ignores the next packets from the client, and does not log them; the value is their
  /// number.
  case drop(Int)
  /// One bit is wrong in each of the next packets to the client; the value is their number.
  case corrupt(Int)
  /// The second half of each of the next packets to the client is missing; the value is their
  /// number.
  case truncate(Int)
  /// The device refuses the next packets with reports for its buffers, as if these were full; the
  /// value is their number.
  case overflow(Int)
  /// All packets to the client are delayed by this time, until the next delay is set.
  case delay(Duration)
  /// The device disconnects the client.
  case disconnect
  /// The device restarts: it loses its queues and its session, the host sees it unplugged and
  /// plugged again, and the link stays open.
  case reset
  /// The device sends 300 bytes `AF` and restarts, as it does when its watchdog finds it stuck.
  case watchdog
  /// The host suspends the device.
  case suspend
  /// The host resumes the device.
  case resume
}

/// The command link of a device: its address, its name, its actions and its state.
package struct HIDDeviceLink: Sendable {
  /// The address where clients connect: `unix:PATH`, `tcp:PORT` or the path of a terminal.
  package let place: String
  /// The name that clients see, such as the Bluetooth name of the device.
  package let name: String
  /// Performs an action on the link.
  package let perform: @Sendable (HIDLinkAction) async -> Void
  /// Returns the present state of the link.
  package let state: @Sendable () async -> State

  /// The state of a link.
  package struct State: Sendable {
    /// True if a client is connected.
    package let isConnected: Bool
    /// The buffers of the device for reports that wait for the host.
    package let buffers: [Buffer]

    package init(isConnected: Bool, buffers: [Buffer]) {
      self.isConnected = isConnected
      self.buffers = buffers
    }
  }

  /// A buffer of reports that wait for the host.
  package struct Buffer: Sendable {
    /// The name of the interface that sends the reports.
    package let name: String
    /// The number of reports in the buffer.
    package let count: Int
    /// The maximum number of reports that the buffer holds.
    package let capacity: Int

    package init(name: String, count: Int, capacity: Int) {
      self.name = name
      self.count = count
      self.capacity = capacity
    }
  }

  /// Makes a link.
  package init(
    place: String, name: String, perform: @escaping @Sendable (HIDLinkAction) async -> Void,
    state: @escaping @Sendable () async -> State
  ) {
    self.place = place
    self.name = name
    self.perform = perform
    self.state = state
  }

  /// Returns the same link with another name.
  package func named(_ name: String) -> HIDDeviceLink {
    HIDDeviceLink(place: place, name: name, perform: perform, state: state)
  }
}
