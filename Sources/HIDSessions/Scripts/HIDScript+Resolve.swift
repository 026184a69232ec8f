// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
public import HIDSimulator
internal import HIDText

extension HIDScript {
  /// Resolves the names of the script for given devices.
  ///
  /// Without `device NAME` or `@NAME` a command about one interface goes to the first interface
  /// that can do it. The command is an error if interfaces of several devices can do it. A command
  /// about a whole report is also an error if several interfaces of one device can do it. `click`
  /// prefers interfaces with relative axes. In `tap`, `press`, `release` and `set`, a short name
  /// means a mouse button only if no interface can do the command otherwise.
  ///
  /// A name means, in this order: a control that the device file names; a key, mouse button or axis
  /// by its short name; a usage as `hidsim show` prints it. Before these, it means a switch of the
  /// device file in `tap`, `press` and `release`, and a state in `expect` and `set`. Short names
  /// have no meaning in `expect` and `host set`.
  ///
  /// - Parameter devices: The devices that will be plugged, in order.
  /// - Returns: The script with an element for each control that is not a switch, and an interface
  ///   for each command that is about one interface.
  /// - Throws: A problem for each command whose names, values or reports do not fit the devices, at
  ///   most twenty.
  public func resolved(
    for devices: [HIDDeviceDefinition]
  ) throws(HIDScriptError) -> HIDScript {
    try resolved(for: devices, on: nil)
  }

  /// Resolves the names of the script for given devices.
  ///
  /// - Parameter device: The position of the device that commands without a target are about; nil
  ///   to find the device of each command.
  func resolved(
    for devices: [HIDDeviceDefinition], on device: Int?
  ) throws(HIDScriptError) -> HIDScript {
    var script = self
    var problems: [HIDTextProblem] = []
    script.statements = Self.resolve(statements, devices, on: device, &problems)
    guard problems.isEmpty else { throw HIDScriptError(problems: problems) }
    return script
  }

  private static func resolve(
    _ statements: [Statement], _ devices: [HIDDeviceDefinition], on device: Int?,
    _ problems: inout [HIDTextProblem]
  ) -> [Statement] {
    var result = statements
    for index in statements.indices where problems.count < HIDScriptParser.maximumProblemCount {
      if case .repeated(let count, let body) = statements[index].command {
        result[index].command = .repeated(count, resolve(body, devices, on: device, &problems))
        continue
      }
      let names = HIDScriptNames(
        devices: devices, file: statements[index].file, usualDevice: device)
      do throws(HIDTextProblem) {
        result[index] = try names.resolve(statements[index])
      } catch {
        problems.append(error)
      }
    }
    return result
  }
}
