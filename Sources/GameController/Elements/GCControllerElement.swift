// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Synchronization

/// A control of a device: a button or key, an axis, or a pad of directions.
///
/// Any thread may read it. A handler gets the state of its event; the properties have the newest
/// state, which may be later.
open class GCControllerElement: NSObject {
  /// How the system uses a control for a gesture of its own.
  ///
  /// Linux has no such gestures.
  public enum SystemGestureState: Int, Sendable {
    /// The system recognizes its gesture first.
    case enabled = 0
    /// The program gets the input as well.
    case alwaysReceive = 1
    /// The program alone gets the input.
    case disabled = 2
  }

  private struct Texts {
    var localizedName: String?
    var unmappedLocalizedName: String?
    var sfSymbolsName: String?
    var unmappedSfSymbolsName: String?
    var gestureState = SystemGestureState.enabled
  }

  private let texts = Slot(Texts())
  private let owner = Slot(WeakElement())
  private let names = Slot<Set<String>>([])
  private let analog = Slot(false)

  private struct WeakElement {
    weak var element: GCControllerElement?
  }

  /// Makes an element of no device.
  public override init() { super.init() }

  /// The element that this one is a part of: of the axes and buttons of a direction pad, the pad.
  ///
  /// It is nil when that element is gone.
  open var collection: GCControllerElement? { owner.value.element }

  /// Makes the element a part of another one.
  func join(_ collection: GCControllerElement) {
    owner.value = WeakElement(element: collection)
  }

  /// Whether the element has values between pressed and released.
  open var isAnalog: Bool { analog.value }

  /// Says whether the element has values between pressed and released.
  func setAnalog(_ isAnalog: Bool) { analog.value = isAnalog }

  /// Whether the system has a gesture on the element: never on Linux.
  open var isBoundToSystemGesture: Bool { false }

  /// Which input the program prefers to get of a system gesture.
  ///
  /// Linux has no such gestures: the value is kept, and changes nothing.
  open var preferredSystemGestureState: SystemGestureState {
    get { texts.value.gestureState }
    set { texts.value.gestureState = newValue }
  }

  /// The name of the element for people, in English.
  open var localizedName: String? {
    get { texts.value.localizedName }
    set { texts.value.localizedName = newValue }
  }

  /// The same name: hidsim maps no elements to others.
  open var unmappedLocalizedName: String? {
    get { texts.value.unmappedLocalizedName }
    set { texts.value.unmappedLocalizedName = newValue }
  }

  /// The name of Apple's symbol of the element; nil where hidsim knows none.
  open var sfSymbolsName: String? {
    get { texts.value.sfSymbolsName }
    set { texts.value.sfSymbolsName = newValue }
  }

  /// The same symbol: hidsim maps no elements to others.
  open var unmappedSfSymbolsName: String? {
    get { texts.value.unmappedSfSymbolsName }
    set { texts.value.unmappedSfSymbolsName = newValue }
  }

  /// The names by which the element is found in its profile.
  open var aliases: Set<String> { names.value }

  /// The name of the element in its profile; nil of an element of no profile.
  var name: String? { names.value.first }

  /// Gives the element its names.
  func name(_ name: String, localized: String?) {
    names.value = [name]
    localizedName = localized
    unmappedLocalizedName = localized
  }

  /// Whether the element is one of a device: only events of the device change its value.
  var isOfDevice: Bool {
    get { ofDevice.load(ordering: .relaxed) }
    set { ofDevice.store(newValue, ordering: .relaxed) }
  }
  private let ofDevice = Atomic<Bool>(false)

  /// Whether an event of the device was delivered since the newest value was set.
  ///
  /// On the handler queue of the device.
  var isDelivered: Bool { true }

  /// Takes the value of an element of another profile.
  func copyValue(of other: GCControllerElement) {}
}
