// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Synchronization

/// A colour: red, green and blue, each from 0 to 1.
open class GCColor: NSObject {
  /// The red part, from 0 to 1.
  public let red: Float
  /// The green part, from 0 to 1.
  public let green: Float
  /// The blue part, from 0 to 1.
  public let blue: Float

  /// Makes a colour.
  ///
  /// - Parameters:
  ///   - red: The red part, from 0 to 1.
  ///   - green: The green part, from 0 to 1.
  ///   - blue: The blue part, from 0 to 1.
  public init(red: Float, green: Float, blue: Float) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// The parts as bytes from 0 to 255; 0 for a part that is NaN.
  var bytes: [UInt8] {
    [red, green, blue].map { part in
      part.isNaN ? 0 : UInt8((min(max(part, 0), 1) * 255).rounded())
    }
  }
}

/// The light of a controller.
open class GCDeviceLight: NSObject {
  private let state: Slot<GCColor>
  private let show: @Sendable ([UInt8]) -> Void

  init(_ show: @escaping @Sendable ([UInt8]) -> Void) {
    state = Slot(GCColor(red: 0, green: 0, blue: 0))
    self.show = show
  }

  /// The colour that the program set last; black before that.
  ///
  /// Setting it sends the colour to the controller.
  open var color: GCColor {
    get { state.value }
    set {
      state.value = newValue
      show(newValue.bytes)
    }
  }
}
