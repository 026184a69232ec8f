// SPDX-License-Identifier: Apache-2.0

import HIDBus
public import HIDReportDescriptor
public import HIDSimulator
public import HIDTraces
public import IOLoop

/// A sink that plays a trace to plugged simulated devices, in the order of the trace's devices.
///
/// With ``play(_:isRealtime:)`` the reports are sent directly by the thread of the devices when its
/// timer fires, if time is real and the log only counts input reports. Requests of hosts are
/// answered meanwhile. If the bus does not wait for readers, each interface sends at most 8,000
/// reports a second while it is open.
public struct SimulatedTraceSink: HIDTraceSink {
  /// One interface of a device.
  typealias Target = (device: SimulatedDevice, interface: Int)

  private let targets: [Target]
  private let buses: [HIDBus?]

  /// Creates a sink.
  ///
  /// - Parameter devices: The plugged devices, one for each device of the trace. The first
  ///   interface of each device sends.
  public init(_ devices: [SimulatedDevice]) { self.init(devices.map { ($0, 0) }) }

  init(_ targets: [Target]) {
    self.targets = targets
    buses = targets.map(\.device.bus)
  }

  /// Plays a trace to the devices on their thread.
  ///
  /// The thread's timer is used if the player's time is real. If no device is plugged, the trace is
  /// played on the caller's thread, and `isRealtime` has no effect.
  ///
  /// - Parameters:
  ///   - player: The player.
  ///   - isRealtime: True to give that thread real-time priority meanwhile, for a busy machine. If
  ///     that is not permitted, the playback has the reason.
  public func play(
    _ player: HIDTracePlayer, isRealtime: Bool = false
  ) async -> HIDTracePlayback {
    guard let loop = targets.lazy.compactMap(\.device.loop).first else {
      return await player.play(to: self)
    }
    var player = player
    if !player.timeline.isVirtual { player.timeline = .real(on: loop) }
    let refusal = isRealtime ? await loop.setRealtime(true) : nil
    let ready = player
    var playback = await withTaskExecutorPreference(loop.taskExecutor) {
      await ready.play(to: self)
    }
    if isRealtime { _ = await loop.setRealtime(false) }
    playback.limitation = refusal.map { error in
      """
      the thread of the devices got no real-time priority (SCHED_FIFO: \(error)): it needs CAP_SYS_NICE, or a limit \
      (ulimit -r) of at least \(IOLoop.realtimePriority)
      """
    }
    return playback
  }

  /// Sends reports of one device; see `HIDTraceSink`.
  public func send(
    _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending {
    let target = targets[device]
    return try await target.device.interfaces[target.interface].play(
      reports, in: range, notBefore: due)
  }

  /// Plugs a device into the bus that it had when the sink was created, unless it is plugged.
  ///
  /// - Throws: `gone` if the device had no bus then; the errors of plugging.
  public func plug(device: Int) async throws {
    // Plugging runs in another task, because this task may run on the devices' loop.
    guard let bus = buses[device] else {
      throw HIDBusError(.gone, "\(targets[device].device.label) is not plugged")
    }
    try await Task { [device = targets[device].device] in
      try await device.plugIfNeeded(into: bus)
    }.value
  }

  /// Unplugs a device.
  public func unplug(device: Int) async {
    await Task { [device = targets[device].device] in await device.unplug() }.value
  }
}
