// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that the evdev nodes of any report descriptor are consistent with its controls.
@c(LLVMFuzzerTestOneInput)
public func mapEvents(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let descriptor = try? HIDReportDescriptor(parsing: fuzzInput(start, count)) else {
    return 0
  }
  for driver in EvdevMapping.Driver.allCases {
    let mapping = EvdevMapping(of: descriptor, driver: driver)
    expect(mapping.driver == driver || mapping.driver == .generic, "another driver")
    if mapping.driver != driver { continue }  // checked in the turn of .generic
    expect(mapping.nodes.count <= max(1, descriptor.reports.count), "more nodes than reports")
    mapping.nodes.forEach(checkNode)
    for report in descriptor.reports {
      checkOutcomes(mapping, report)
    }
  }
  return 0
}

private func checkNode(_ node: EvdevNode) {
  expect(node.eventTypes.first == .synchronization, "a node without synchronization")
  // The node may have no other type: Linux registers a node for a key whose type was not added.
  expect(zip(node.codes, node.codes.dropFirst()).allSatisfy { $0 < $1 }, "codes out of order")
  for code in node.codes {
    expect(node.contains(code), "\(code) is not found")
    expect(node.eventTypes.contains(code.type), "\(code) without its type")
  }
  expect(
    node.axes.map(\.code) == node.codes.filter { $0.type == .absolute },
    "axes other than the absolute codes")
  expect(node.name(ofDevice: "x").hasPrefix("x"), "a node with another name")
}

private func checkOutcomes(_ mapping: EvdevMapping, _ report: HIDReportLayout) {
  let node = mapping.node(of: report.type, id: report.id)
  for control in report.controls.prefix(24) {
    let outcome = mapping.outcome(of: control)
    switch outcome {
    case .event(let code):
      // The driver for touch surfaces has buttons that the node of another report may have.
      if mapping.driver == .multitouch { continue }
      expect(node?.contains(code) == true, "\(code) is not of its node")
    case .duplicate(let code):
      expect(node?.contains(code) == true, "\(code) is a duplicate of nothing")
    case .dropped(let code): expect(node?.contains(code) != true, "\(code) is not dropped")
    case .contact: expect(mapping.driver == .multitouch, "a contact on no surface")
    case .battery, .ignored: expect(outcome.code == nil, "an event of \(outcome)")
    }
  }
}
