// SPDX-License-Identifier: Apache-2.0

public import HIDBus
import HIDReportDescriptor
public import HIDSimulator
import IOLoop
import Synchronization

/// A proxy for a device: hosts open its twin, a simulated copy, and the original device answers.
///
/// Input reports of the original go to the twin's hosts. Output reports and requests of these hosts
/// go to the original. Those for one interface are passed on in order, those for several interfaces
/// in parallel. The hosts get the answers of the original, errors included. An answer that is
/// longer than uhid takes becomes an error. No request blocks the bus of the twin.
///
/// The log of the twin records the reports, requests and answers, with the latency of each answer.
/// The log has input reports as the original has sent them, even if the twin pads a report with
/// zeros or cannot send it.
///
/// ```swift
/// let proxy = try await HIDProxy.open(records, on: HIDBus.forClients(.auto))
/// let log = HIDEventLog()
/// let twin = SimulatedDevice.make([proxy.definition], log: log)[0]
/// proxy.serve(twin, log: log)  // before the twin's driver can ask anything
/// try await twin.plug(into: bus)
/// await proxy.forwardInput(to: twin)  // until the original is gone
/// await twin.unplug()
/// log.finish()
/// await proxy.close()
/// ```
public final class HIDProxy: Sendable {
  /// The number of reports of each interface that are kept while the twin's hosts are slow.
  private static let capacity = 4096
  /// The time that the original has to answer before the twin answers by itself.
  ///
  /// The time exceeds the timeout of every bus, so no host waits that long.
  private static let patience = Duration.seconds(10)

  /// The definition of the twin: the identity and the report descriptors of the original.
  ///
  /// They are changed to fit a device file, as in `HIDDeviceDefinition.init(of:)`.
  public let definition: HIDDeviceDefinition
  private let originals: [Original]
  private let seizures: [HIDExclusivity]
  private let serving = Mutex<Serving?>(nil)
  private let counts = Mutex(Counts())

  private struct Counts {
    var padded = 0
    var unsendable = 0
    var refused = 0
  }

  /// The twin, and the task that passes on what its hosts send.
  private struct Serving: Sendable {
    let twin: SimulatedDevice
    let task: Task<Void, Never>
  }

  /// An interface of the original, opened.
  private struct Original: Sendable {
    let port: any HIDClientPort
    let reports: HIDReportStream
  }

  private init(
    _ definition: HIDDeviceDefinition, _ originals: [Original], _ seizures: [HIDExclusivity]
  ) {
    self.definition = definition
    self.originals = originals
    self.seizures = seizures
  }

  /// Opens a device.
  ///
  /// - Parameters:
  ///   - interfaces: All interfaces of the device, in their order; see
  ///     `HIDDeviceRecord.interfaces(among:)`.
  ///   - catalog: The catalog that has the interfaces.
  ///   - seizes: True to keep the device from other clients of this library, and its evdev nodes
  ///     from their readers, so that its input does not arrive twice.
  /// - Throws: `busy` if another client has seized the device, or another program has grabbed its
  ///   evdev nodes; `other` if these nodes cannot be grabbed; `unavailable` if the bus directory
  ///   cannot be used; `limitReached` if the process lacks descriptors, memory or threads, or the
  ///   disk is full; `invalidArgument` if there is no interface, or for a report descriptor that is
  ///   not valid; the errors of `HIDDeviceCatalog.open(_:)`.
  public static func open(
    _ interfaces: [HIDDeviceRecord], on catalog: HIDDeviceCatalog, seizes: Bool = true
  ) async throws(HIDBusError) -> HIDProxy {
    let definition = try HIDDeviceDefinition(of: interfaces)
    var seizures: [HIDExclusivity] = []
    for record in seizes ? interfaces : [] {
      let exclusivity = try catalog.exclusivity(of: record)
      let result = try await Thread.call(to: "seize \(record.address)") {
        Result { () throws(HIDBusError) in try exclusivity.take() }
      }
      try result.get()
      seizures.append(exclusivity)
    }
    var originals: [Original] = []
    for record in interfaces {
      let (port, reports) = try await catalog.open(record, capacity: capacity, policy: .lossless)
      originals.append(Original(port: port, reports: reports))
    }
    return HIDProxy(definition, originals, seizures)
  }

  /// The number of the original's input reports that the proxy did not get.
  ///
  /// They were lost because the twin's hosts, the proxy or the original's bus was too slow. The
  /// count is not complete if the original's bus does not report all losses.
  public var lostReports: HIDLossCount { originals.reduce(0) { $0 + $1.reports.lost } }

  /// The error that ended the original's reports; `nil` if there was none.
  ///
  /// Unplugging the original is not an error.
  public var failure: (any Error)? { originals.lazy.compactMap(\.reports.failure).first }

  /// The number of input reports that were shorter than declared, and were padded with zeros.
  ///
  /// The kernel would drop a report that is too short.
  public var paddedReports: Int { counts.withLock { $0.padded } }

  /// The number of input reports that could not be passed on.
  ///
  /// The report descriptor does not declare them, or declares them shorter.
  public var unsendableReports: Int { counts.withLock { $0.unsendable } }

  /// The number of output reports that the original did not take.
  public var refusedOutputs: Int { counts.withLock { $0.refused } }

  // MARK: To the original

  /// Starts to pass on output reports and requests of the twin's hosts.
  ///
  /// Reports and requests are passed on until ``close()``, or until the log ends.
  ///
  /// - Parameters:
  ///   - twin: A device made from ``definition``, not plugged yet, because its driver may ask at
  ///     once.
  ///   - log: The twin's log.
  public func serve(_ twin: SimulatedDevice, log: HIDEventLog) {
    twin.delegate(HIDDelegation(deadline: Self.patience))
    let places = Dictionary(
      twin.interfaces.enumerated().map { ($0.element.label, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    let queues = originals.map { _ in BoundedQueue<HIDDeviceEvent.Kind>(capacity: .max) }
    let start = log.endIndex
    let task = Task { [self] in
      await withTaskGroup(of: Void.self) { group in
        for (index, queue) in queues.enumerated() {
          group.addTask { [self] in
            while let kinds = await queue.take() {
              for kind in kinds { await pass(kind, to: originals[index].port, from: twin) }
            }
          }
        }
        var next = start
        var isOver = false
        repeat {
          // Events that came before the end are still handled.
          isOver = await !log.wait(for: next)
          for event in log.read(from: &next).events {
            guard let place = places[event.device], queues.indices.contains(place) else { continue }
            switch event.kind {
            case .output, .request: queues[place].put([event.kind], weight: 0)
            default: break
            }
          }
        } while !isOver
        for queue in queues { queue.end() }
      }
    }
    serving.withLock { $0 = Serving(twin: twin, task: task) }
  }

  /// Passes on one output report or request of a host, and the answer to the request.
  private func pass(
    _ kind: HIDDeviceEvent.Kind, to port: any HIDClientPort, from twin: SimulatedDevice
  ) async {
    switch kind {
    case .output(let report):
      do throws(HIDBusError) {
        // A write begins with the report ID, or with 0 for an unnumbered report.
        try await port.write(
          port.lengths.isNumbered(.output) ? report.bytes : [0] + report.bytes)
      } catch {
        counts.withLock { $0.refused += 1 }
      }
    case .request(let request):
      let answer: HIDRequestAnswer
      do throws(HIDBusError) {
        if let bytes = request.bytes {
          try await port.setReport(request.type, bytes, timeout: nil)
          answer = .acknowledged
        } else {
          let report = try await port.getReport(request.type, request.id, timeout: nil)
          answer = .report(HIDReportBytes(report))
        }
      } catch {
        answer = .error
      }
      if !twin.answer(request.number, with: answer) {
        // The answer is longer than uhid takes, so the host gets an error. If the request no longer
        // waits, this has no effect.
        twin.answer(request.number, with: .error)
      }
    default: break
    }
  }

  // MARK: From the original

  /// Passes input reports of the original on to the twin.
  ///
  /// The method returns when the reports of an interface of the original have ended, the twin is
  /// unplugged or cannot take input, or the task is cancelled.
  public func forwardInput(to twin: SimulatedDevice) async {
    await withTaskGroup(of: Void.self) { group in
      for (index, original) in originals.enumerated() {
        group.addTask { [self] in await forward(original.reports, to: twin, index) }
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func forward(_ reports: HIDReportStream, to twin: SimulatedDevice, _ index: Int) async {
    let lengths = twin.interfaces[index].lengths
    var iterator = reports.makeAsyncIterator()
    while true {
      var parts = [Part()]
      let isMore: Void? = await iterator.withReports { reports in
        for place in reports.indices {
          let own = [UInt8](reports[place].bytes)
          let (report, wasShort) = lengths.filledUp(own)
          do throws(HIDReportLengths.Mismatch) {
            try lengths.checkInput(report.span)
            parts[parts.count - 1].append(report, own: own)
            if wasShort { counts.withLock { $0.padded += 1 } }
          } catch {
            counts.withLock { $0.unsendable += 1 }
            parts[parts.count - 1].unsendable = own
            parts.append(Part())
          }
        }
      }
      guard isMore != nil else { return }
      for part in parts {
        do throws(HIDBusError) {
          if !part.batch.isEmpty {
            try await twin.send(part.batch, interface: index, own: part.own)
          }
        } catch {
          return  // the twin is unplugged or cannot take input
        }
        if let report = part.unsendable { twin.noteUnsent(report, interface: index) }
      }
    }
  }

  /// Reports that the twin sends together, and the report after them that it cannot send.
  private struct Part {
    /// The reports as the twin sends them; `own` has them as the original has sent them.
    private(set) var batch = HIDReportBatch()
    private(set) var own = HIDReportBatch()
    var unsendable: [UInt8]?

    mutating func append(_ report: [UInt8], own: [UInt8]) {
      batch.append(report)
      self.own.append(own)
    }
  }

  // MARK: Its end

  /// Closes the original, and releases it for other clients.
  ///
  /// Requests that still wait get an error. Later requests are not passed on: the twin answers them
  /// itself.
  public func close() async {
    let serving = serving.withLock { $0 }
    serving?.twin.delegate(nil)
    serving?.task.cancel()
    for original in originals { original.port.close() }
    await serving?.task.value
    for seizure in seizures { seizure.release() }
  }
}
