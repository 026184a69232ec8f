// SPDX-License-Identifier: Apache-2.0

import HIDBus

/// The state of the kernel's driver of an interface, and whether the interface can take input.
struct DriverState: Sendable {
  /// The ability of the interface to take input.
  ///
  /// A task follows the driver if it waits until the next driver is ready.
  enum Usability: Sendable {
    case usable
    /// One driver has released the device, and the next is not ready.
    case changing(isFollowed: Bool)
    /// No other driver came, or the device did not become ready with the next driver: for example,
    /// its nodes could not be isolated from a desktop.
    case unusable(HIDBusError, isFollowed: Bool)

    var isUsable: Bool { if case .usable = self { true } else { false } }
    var isChanging: Bool { if case .changing = self { true } else { false } }

    fileprivate var isFollowed: Bool {
      switch self {
      case .usable: false
      case .changing(let isFollowed), .unusable(_, let isFollowed): isFollowed
      }
    }
  }

  /// The next step of a task that has waited for a driver.
  enum Step: Sendable {
    /// The wait is over.
    case done
    /// The driver has released the device, and another one has taken it: wait for that one.
    case again
    /// The driver has released the device, and none has taken it.
    case released
  }

  private(set) var usability = Usability.usable
  /// The number of times that a driver took or released the device.
  private(set) var changes = 0
  /// True if the last change was that a driver took the device.
  private var isBound = false

  /// Notes that a driver has taken or released the device.
  ///
  /// - Parameter blocksInput: True if input must wait for the next driver.
  /// - Returns: The number of changes.
  mutating func note(isBound: Bool, blocksInput: Bool) -> Int {
    if blocksInput { usability = .changing(isFollowed: usability.isFollowed) }
    self.isBound = isBound
    changes += 1
    return changes
  }

  /// Notes that a task follows the driver; returns false if none is needed, or one does already.
  mutating func follow() -> Bool {
    switch usability {
    case .changing(isFollowed: false): usability = .changing(isFollowed: true)
    case .unusable(let error, isFollowed: false): usability = .unusable(error, isFollowed: true)
    case .usable, .changing, .unusable: return false
    }
    return true
  }

  /// Notes that no driver came in time.
  ///
  /// - Parameter changes: The number of changes when the wait for a driver began.
  /// - Returns: False if a driver has come or gone since then, or if the device is not waiting for
  ///   one.
  mutating func giveUp(_ error: HIDBusError, at changes: Int) -> Bool {
    guard self.changes == changes, case .changing(let isFollowed) = usability else { return false }
    usability = .unusable(error, isFollowed: isFollowed)
    return true
  }

  /// Notes the result of the task that follows the driver, and returns its next step.
  ///
  /// - Parameters:
  ///   - error: The reason why the device is not ready; nil if it is.
  ///   - changes: The number of changes when the task began to wait.
  mutating func settle(_ error: HIDBusError?, at changes: Int) -> Step {
    if self.changes == changes {
      usability = error.map { .unusable($0, isFollowed: false) } ?? .usable
      return .done
    }
    if isBound { return .again }
    switch usability {
    case .usable: break
    case .changing: usability = .changing(isFollowed: false)
    case .unusable(let error, _): usability = .unusable(error, isFollowed: false)
    }
    return .released
  }

  /// Notes that the interface is unplugged.
  mutating func unplug() { usability = .usable }
}
