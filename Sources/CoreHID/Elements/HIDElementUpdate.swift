// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An update of elements of a device: ``HIDDeviceClient/RequestElementUpdate`` or
/// ``HIDDeviceClient/ProvideElementUpdate``.
public protocol HIDElementUpdate: Hashable, Sendable {}

/// A number that makes two otherwise equal updates differ, so that each keeps its own result.
private struct UpdateToken: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)
  private let number: UInt64 = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
}

extension HIDDeviceClient {
  /// A request for the values of elements.
  public struct RequestElementUpdate: HIDElementUpdate {
    /// The elements whose values are requested.
    public var elements: [HIDElement]
    /// True to request the values from the device; false to use the values that the client last
    /// received or sent.
    ///
    /// The client remembers reports of its requests and of its streams of notifications, but not
    /// those of `hidsim.reports()`. An element of a report that it does not remember has its idle
    /// value, such as 0.
    public var pollDevice: Bool
    private let token = UpdateToken()

    /// Makes a request.
    ///
    /// No two calls make equal requests, so that each request has its own result.
    ///
    /// - Parameters:
    ///   - elements: The elements whose values are requested.
    ///   - pollDevice: True to request the reports that hold the elements from the device; false to
    ///     use the values that the client last received or sent.
    public init(elements: [HIDElement], pollDevice: Bool = true) {
      self.elements = elements
      self.pollDevice = pollDevice
    }
  }

  /// A set of new values for elements.
  public struct ProvideElementUpdate: HIDElementUpdate {
    /// The new values, each with its element.
    public var values: [HIDElement.Value]
    private let token = UpdateToken()

    /// Makes an update, which is sent in as few reports as hold the elements.
    ///
    /// - Parameter values: The new values, each with its element.
    public init(values: [HIDElement.Value]) { self.values = values }
  }

  /// The results of the updates of one call.
  public struct HIDElementUpdateResult: Sendable {
    private var provided: [ProvideElementUpdate: Result<Void, any Error>] = [:]
    private var requested: [RequestElementUpdate: Result<[HIDElement.Value], any Error>] = [:]

    init() {}

    /// The result of setting values; `nil` for an update that was not part of the call.
    public subscript(originalRequest: ProvideElementUpdate) -> Result<Void, any Error>? {
      provided[originalRequest]
    }

    /// The requested values, in the order of the elements; `nil` for a request that was not part of
    /// the call.
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
