// SPDX-License-Identifier: Apache-2.0
public import HIDBus
import HIDReportDescriptor
public import HIDSimulator
import HIDUsages

/// A minimal host, which answers the Lock keys of keyboards with LED reports.
///
/// A Lock key changes its LED as on a console, but only on the interface that sent the key. A
/// keyboard that is plugged later, or plugged again, gets no answer.
public actor LockHosts {
  private var views: [ScriptClient] = []

  /// Opens every plugged interface that has a Caps Lock, Num Lock or Scroll Lock LED.
  ///
  /// - Throws: The error of the bus if an interface cannot be opened.
  public init(_ devices: [SimulatedDevice], on bus: HIDBus) async throws(HIDBusError) {
    for interface in devices.flatMap(\.interfaces) {
      let descriptor = interface.definition.descriptor
      guard interface.record?.node != nil,
        !descriptor.controls(.led(.capsLock), type: .output).isEmpty
          || !descriptor.controls(.led(.numLock), type: .output).isEmpty
          || !descriptor.controls(.led(.scrollLock), type: .output).isEmpty
      else { continue }
      views.append(try await ScriptClient.open(interface, on: bus, answersLocks: true))
    }
  }

  /// Closes the interfaces.
  public func close() async {
    for view in views { await view.close() }
    views = []
  }
}
