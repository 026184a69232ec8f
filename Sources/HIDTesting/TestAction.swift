// SPDX-License-Identifier: Apache-2.0

/// An action of a device, or an expectation of its host.
@available(macOS 15, *)
enum TestAction: Sendable {
  case tap([String])
  case press([String])
  case release([String])
  case click(String)
  case move(x: Int, y: Int)
  case scroll(Int, isHorizontal: Bool)
  case set(HIDTestControl, HIDTestValue)
  case padButton(HIDTestPadButton, Double)
  case padStick(HIDTestPadStick, x: Double, y: Double)
  case report([UInt8])
  case type(String, layout: String, skipsMissing: Bool)
  case script(String)
  case expect(HIDTestControl, HIDTestValue, within: Duration)
  case expectNothing(Duration)
  case expectNothingElse(Duration)
  case expectAnything(Duration)
  case waitForReader(Duration)
}
