// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// User defaults that exist only in memory, for a program that connects once.
package final class VolatileDefaults: UserDefaults {
  private var values: [String: Any] = [:]

  package override func object(forKey defaultName: String) -> Any? { values[defaultName] }
  package override func set(_ value: Any?, forKey defaultName: String) {
    values[defaultName] = value
  }
  package override func set(_ value: Bool, forKey defaultName: String) {
    values[defaultName] = value
  }
  package override func bool(forKey defaultName: String) -> Bool {
    values[defaultName] as? Bool ?? false
  }
  package override func removeObject(forKey defaultName: String) { values[defaultName] = nil }
  package override func synchronize() -> Bool { true }
}
