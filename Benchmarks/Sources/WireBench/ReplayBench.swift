// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDTraces

/// Measures the replay of a parsed trace to the kernel at full speed, without a reader.
func replayBench(_ reports: Int) async throws {
  // Without a folder, hidsim's two ends exchange no messages beside the kernel, as in
  // `KernelBench`.
  setenv("HIDSIM_BUS_DIR", "/dev/null/none", 1)
  let bus = try HIDBus(.kernel)
  let descriptor = try BenchDevice.description(on: bus).descriptor
  let definition = HIDDeviceDefinition(
    name: "hidsim bench", vendorID: 0x1209, productID: 1,
    interfaces: [HIDInterfaceDefinition(descriptor: descriptor)])
  let events = (0..<reports).map { number in
    HIDTraceEvent(
      microseconds: Int64(number) * 1000,
      kind: .input(
        HIDReportBytes((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })))
  }
  let trace = HIDTrace(
    devices: [HIDTraceDevice(descriptor: descriptor.bytes)], events: events)
  var pace = HIDTracePace()
  pace.isInstant = true
  let plan = try ReplayPlan(
    HIDTraceReader(trace), [definition], file: "bench", isStrict: true, pace: pace)
  let log = HIDEventLog(keepsInput: false)
  let devices = SimulatedDevice.make(plan.definitions, log: log)
  try await devices[0].plug(into: bus)
  // The first round touches all code and memory for the first time.
  for _ in 0..<2 {
    let began = await devices[0].processorTime()
    let result = await plan.play(on: devices)
    let ended = await devices[0].processorTime()
    guard result.isComplete else { throw HIDBusError(.other, result.failure ?? result.words) }
    for (bench, spent) in [
      // The processor time of the thread that sends: another thread has parsed its input.
      ("replay-parsed", ended - began), ("replay-memory", result.playback.duration),
    ] {
      let each = spent / .nanoseconds(1) / Double(reports)
      let figure = (each * 10).rounded() / 10
      print(
        #"{"bench":"\#(bench)","variant":"hidsim","n":\#(reports),"instructions":\#(figure)}"#)
    }
  }
  await devices[0].unplug()
}
