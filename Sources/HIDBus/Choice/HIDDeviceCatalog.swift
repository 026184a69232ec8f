// SPDX-License-Identifier: Apache-2.0

import IOLoop
import SystemPackage

/// One list of the devices of several buses, from which clients open devices.
public struct HIDDeviceCatalog: Sendable {
  private let buses: [any HIDClientBus]
  /// The reason why a bus is missing, as given to the initializer; `nil` if none was given.
  ///
  /// ``HIDBus/forClients(_:)`` gives the error of a bus directory that cannot be used.
  public let leftOut: HIDBusError?

  /// Makes one list of the devices of several buses.
  ///
  /// - Parameters:
  ///   - buses: The buses.
  ///   - leftOut: The reason why another bus is missing; `nil` for none.
  public init(_ buses: [any HIDClientBus], leftOut: HIDBusError? = nil) {
    self.buses = buses
    self.leftOut = leftOut
  }

  /// Reports the devices on all buses that are present, then `settled` once, then each change.
  ///
  /// A bus that has reported its devices can report changes before `settled`, while another bus has
  /// not. An error of one bus ends the stream. Without buses the stream ends after `settled`.
  public func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    let (stream, continuation) = AsyncThrowingStream<HIDArrival, any Error>.makeStream()
    let task = Task { [buses] in
      do {
        if buses.isEmpty { continuation.yield(.settled) }
        let counter = SettledCounter(buses.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for bus in buses {
            group.addTask {
              for try await arrival in bus.arrivals() {
                if case .settled = arrival, await !counter.countDown() { continue }
                continuation.yield(arrival)
              }
            }
          }
          // Unlike `waitForAll`, this ends with the first error, and the group cancels the others.
          while try await group.next() != nil {}
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// A counter of the buses that have not yet reported all present devices.
  private actor SettledCounter {
    private var left: Int
    init(_ count: Int) { left = count }

    /// Counts one bus, and returns whether it was the last one to report.
    func countDown() -> Bool {
      left -= 1
      return left == 0
    }
  }

  /// Returns the devices that are present now, the kernel's first, each bus' by ID.
  ///
  /// - Throws: `CancellationError` in a cancelled task; the `HIDBusError` of a bus whose devices
  ///   cannot be found.
  public func devices() async throws -> [HIDDeviceRecord] {
    var devices: [HIDDeviceRecord] = []
    arrivals: for try await arrival in arrivals() {
      switch arrival {
      case .added(let device): devices.append(device)
      case .removed(let device): devices.removeAll { $0 == device }
      case .settled: break arrivals
      }
    }
    // In a cancelled task the loop can end before `settled`, with a part of the devices.
    try Task.checkCancellation()
    return devices.sorted { first, second in
      first.bus == second.bus ? first.id < second.id : first.bus == .kernel
    }
  }

  /// Opens a device on its bus.
  ///
  /// - Throws: `unavailable` if the device is on a bus that is not in this list; the errors of
  ///   ``HIDClientBus/open(_:)``.
  public func open(_ device: HIDDeviceRecord) async throws(HIDBusError) -> any HIDClientPort {
    try await bus(of: device).open(device)
  }

  /// Opens a device on its bus, and starts a stream of its input reports from the opening on.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - capacity: The number of reports that the stream holds for a slow reader, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The rule for reports that find the stream full.
  /// - Throws: The errors of ``open(_:)``.
  public func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream) {
    try await bus(of: device).open(device, capacity: capacity, policy: policy)
  }

  /// Opens a device on a thread of its own, and starts a stream of its input reports from the
  /// opening on.
  ///
  /// No step needs a thread of the cooperative pool, so a thread of that pool may wait for `done`.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - capacity: The number of reports that the stream holds for a slow reader, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The rule for reports that find the stream full.
  ///   - done: Called once with the result. The errors are those of ``open(_:)``. Three errors are
  ///     reported on the caller's thread, before the return: the bus is missing, the bus is no
  ///     ``ClientHostBus``, or no thread can be started. All other results are reported on the
  ///     thread that opens the device.
  package func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy,
    _ done:
      @escaping @Sendable (
        Result<(port: any HIDClientPort, reports: HIDReportStream), HIDBusError>
      ) -> Void
  ) {
    let bus: any ClientHostBus
    do throws(HIDBusError) {
      guard let found = try self.bus(of: device) as? any ClientHostBus else {
        throw HIDBusError(
          .unavailable, "open \(device.address): hidsim has no client for the bus of this device")
      }
      bus = found
    } catch {
      return done(.failure(error))
    }
    do throws(Errno) {
      try Thread.start(name: "hidsim-open") {
        done(
          Result { () throws(HIDBusError) in
            try bus.openNow(device, capacity: capacity, policy: policy)
          })
      }
    } catch {
      done(.failure(.lacking(error, "open \(device.address)")))
    }
  }

  /// Returns the reason why a device cannot be opened, found without opening it; `nil` if none is
  /// found.
  public func obstacle(toOpening device: HIDDeviceRecord) -> HIDBusError? {
    do throws(HIDBusError) {
      return try bus(of: device).obstacle(toOpening: device)
    } catch {
      return error
    }
  }

  func bus(of device: HIDDeviceRecord) throws(HIDBusError) -> any HIDClientBus {
    guard let bus = buses.first(where: { $0.kind == device.bus }) else {
      throw HIDBusError(
        .unavailable,
        "\(device.address) is on the \(device.bus) bus, which this process does not use")
    }
    return bus
  }
}
