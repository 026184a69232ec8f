// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
public import HIDSystem
public import HIDWire
public import IOLoop
import Synchronization

/// Stands between a device and its hosts: a simulated twin takes what they do, and the device answers.
///
/// Input reports of the original go to the twin's hosts; output reports and requests of those go to the original, and get
/// what it answers, errors as errors. Requests to one interface are passed on in their order, those to several side by
/// side; none holds up the bus of the twin. All of it is in the log of the twin, with how long answers took; input as the
/// original has sent it, also where the twin fills it up or cannot send it.
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
  /// How many reports of the original are kept while hosts of the twin are slow.
  private static let capacity = 4096
  /// How long the original has to answer before the twin does, which no host waits for: longer than every bus.
  private static let patience = Duration.seconds(10)

  /// What the twin is: the identity and the report descriptors of the original.
  public let definition: HIDDeviceDefinition
  private let originals: [Original]
  private let seizures: [HIDExclusivity]
  private let serving = Mutex<Task<Void, Never>?>(nil)
  private let counts = Mutex(Counts())

  private struct Counts {
    var padded = 0
    var unsendable = 0
    var refused = 0
  }

  /// An interface of the original, opened.
  private struct Original: Sendable {
    let port: any HIDHostPort
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
  ///   - interfaces: All interfaces of the device, in their order; see `HIDDeviceRecord.interfaces(among:)`.
  ///   - hosts: Where they are.
  ///   - seizes: Whether the device is kept from other clients of this library, and its evdev nodes from their readers, so
  ///     that its input does not come twice.
  /// - Throws: `busy` if another client has it for itself; `permissionDenied`, `gone`; `invalidArgument` for a report
  ///   descriptor that makes no sense.
  public static func open(
    _ interfaces: [HIDDeviceRecord], on hosts: HIDHosts, seizes: Bool = true
  ) async throws(HIDWireError) -> HIDProxy {
    let definition = try HIDDeviceDefinition(of: interfaces)
    var seizures: [HIDExclusivity] = []
    for record in seizes ? interfaces : [] {
      let exclusivity = try hosts.exclusivity(of: record)
      let result = try await Blocking.run(to: "seize \(record.address)") {
        Result { () throws(HIDWireError) in try exclusivity.take() }
      }
      try result.get()
      seizures.append(exclusivity)
    }
    var originals: [Original] = []
    for record in interfaces {
      let (port, reports) = try await hosts.open(record, capacity: capacity, policy: .lossless)
      originals.append(Original(port: port, reports: reports))
    }
    return HIDProxy(definition, originals, seizures)
  }

  /// How many input reports of the original were lost, because the twin's hosts were slow.
  public var lostReports: HIDLossCount { originals.reduce(0) { $0 + $1.reports.lost } }

  /// Why the original's reports have ended, where it has not just gone.
  public var failure: (any Error)? { originals.lazy.compactMap(\.reports.failure).first }

  /// How many input reports were shorter than declared, and were filled up with zeros: the kernel would drop them.
  public var paddedReports: Int { counts.withLock { $0.padded } }

  /// How many input reports could not be passed on, because the report descriptor does not declare them.
  public var unsendableReports: Int { counts.withLock { $0.unsendable } }

  /// How many output reports the original did not take.
  public var refusedOutputs: Int { counts.withLock { $0.refused } }

  // MARK: To the original

  /// Passes on what hosts of the twin do, from now on and until ``close()``, or the log's end.
  ///
  /// - Parameters:
  ///   - twin: A device as ``definition`` says, not plugged yet: its driver may ask at once.
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
        while await log.wait(for: next) {
          for event in log.read(from: &next).events {
            guard let place = places[event.device], queues.indices.contains(place) else { continue }
            switch event.kind {
            case .output, .request: queues[place].put([event.kind], weight: 0)
            default: break
            }
          }
        }
        for queue in queues { queue.end() }
      }
    }
    serving.withLock { $0 = task }
  }

  /// Passes on one thing that a host did, and what comes of it.
  private func pass(
    _ kind: HIDDeviceEvent.Kind, to port: any HIDHostPort, from twin: SimulatedDevice
  ) async {
    switch kind {
    case .output(let report):
      do throws(HIDWireError) {
        // As it came: with its number first, 0 where it has none.
        try await port.write(
          port.lengths.isNumbered(.output) ? report.bytes : [0] + report.bytes)
      } catch {
        counts.withLock { $0.refused += 1 }
      }
    case .request(let request):
      let answer: HIDDelegatedAnswer
      do throws(HIDWireError) {
        if let bytes = request.bytes {
          try await port.setReport(request.type, bytes, timeout: nil)
          answer = .accepted
        } else {
          answer = .report(try await port.getReport(request.type, request.id, timeout: nil))
        }
      } catch {
        answer = .error
      }
      if !twin.answer(request.number, with: answer) {
        // Longer than uhid takes: an error for the host, too. One that waits no longer hears nothing.
        twin.answer(request.number, with: .error)
      }
    default: break
    }
  }

  // MARK: From the original

  /// Passes input reports of the original on to the twin, until one of its interfaces is gone or the task is cancelled.
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
    let lengths = twin.interfaces[index].withModel { $0.lengths }
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
        do throws(HIDWireError) {
          if !part.batch.isEmpty {
            try await twin.send(part.batch, interface: index, own: part.own)
          }
        } catch {
          return  // the twin is unplugged
        }
        if let report = part.unsendable { twin.noteUnsent(report, interface: index) }
      }
    }
  }

  /// Reports that go to the twin together, and one behind them that cannot.
  private struct Part {
    /// What the twin sends, and what the original has sent.
    private(set) var batch = HIDReportBatch()
    private(set) var own = HIDReportBatch()
    var unsendable: [UInt8]?

    mutating func append(_ report: [UInt8], own: [UInt8]) {
      batch.append(report)
      self.own.append(own)
    }
  }

  // MARK: Its end

  /// Lets go of the original.
  ///
  /// What hosts of the twin ask from then on is refused.
  public func close() async {
    let task = serving.withLock { $0 }
    task?.cancel()
    for original in originals { original.port.close() }
    await task?.value
    for seizure in seizures { seizure.release() }
  }
}
