// SPDX-License-Identifier: Apache-2.0

extension HIDUsage: CustomStringConvertible {
  /// The name of the usage: `led.capsLock`.
  ///
  /// Other examples are `button 1` on a page whose usages are numbers, and `led` for a page without
  /// a usage. A page or usage without a name is four hex digits: `0xff00.0x0001`, `led.0x00ff`.
  public var description: String {
    let names = HIDUsageNames.shared.pages[page]
    let pageName = names.map { String($0.words) } ?? Self.hex(page)
    guard let usage else { return pageName }
    if Self.isNumbered(page) { return "\(pageName) \(usage)" }
    return "\(pageName).\(names?.usageWords[usage].map(String.init) ?? Self.hex(usage))"
  }

  /// Returns whether the usages of a page are numbers, and have no names.
  ///
  /// - Parameter page: The number of the page.
  package static func isNumbered(_ page: UInt16) -> Bool {
    page == ButtonUsage.page || page == OrdinalUsage.page || page == MonitorEnumeratedUsage.page
  }

  private static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
