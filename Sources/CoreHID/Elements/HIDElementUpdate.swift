// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something to do with elements of a device: ``HIDDeviceClient/RequestElementUpdate`` or
/// ``HIDDeviceClient/ProvideElementUpdate``.
public protocol HIDElementUpdate: Hashable, Sendable {}

/// What tells two equal updates apart, so that each keeps its own result.
private struct UpdateToken: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)
  private let number: UInt64 = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
}

extension HIDDeviceClient {
  /// Asks for the values of elements.
  public struct RequestElementUpdate: HIDElementUpdate {
    /// The elements whose values are asked for.
    public var elements: [HIDElement]
    /// Whether the device is asked; else it is what it reported last.
    public var pollDevice: Bool
    private let token = UpdateToken()

    /// Makes a request.
    ///
    /// Two requests are never equal, so that each finds its own result.
    ///
    /// - Parameters:
    ///   - elements: The elements whose values are asked for.
    ///   - pollDevice: Whether the device is asked for the reports that hold them; else the values are those last seen.
    public init(elements: [HIDElement], pollDevice: Bool = true) {
      self.elements = elements
      self.pollDevice = pollDevice
    }
  }

  /// Gives elements values.
  public struct ProvideElementUpdate: HIDElementUpdate {
    /// The values, which name their elements.
    public var values: [HIDElement.Value]
    private let token = UpdateToken()

    /// Makes an update, to be sent in as few reports as hold the elements.
    ///
    /// - Parameter values: The values, which name their elements.
    public init(values: [HIDElement.Value]) { self.values = values }
  }

  /// How the updates of one call went.
  public struct HIDElementUpdateResult: Sendable {
    private var provided: [ProvideElementUpdate: Result<Void, any Error>] = [:]
    private var requested: [RequestElementUpdate: Result<[HIDElement.Value], any Error>] = [:]

    init() {}

    /// How values were taken; `nil` for an update that was not part of the call.
    public subscript(originalRequest: ProvideElementUpdate) -> Result<Void, any Error>? {
      provided[originalRequest]
    }

    /// The values that were asked for, in the order of the elements; `nil` for a request that was not part of the call.
    public subscript(
      originalRequest: RequestElementUpdate
    ) -> Result<[HIDElement.Value], any Error>? { requested[originalRequest] }

    mutating func note(_ result: Result<Void, any Error>, of update: ProvideElementUpdate) {
      provided[update] = result
    }

    mutating func note(
      _ result: Result<[HIDElement.Value], any Error>, of update: RequestElementUpdate
    ) {
      requested[update] = result
    }
  }
}
