// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Synchronization

/// A control of a device: a button or key, an axis, or a direction pad.
///
/// Any thread may read it. A handler receives the state of its event; the properties have the
/// newest state, which may be later.
open class GCControllerElement: NSObject {
  /// The handling of a control that the system also uses for a gesture.
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

  /// Makes an element that belongs to no device.
  public override init() { super.init() }

  /// The element that this one is a part of: for an axis or button of a direction pad, the pad.
  ///
  /// It is nil if this element is not a part, or if the pad no longer exists.
  open var collection: GCControllerElement? { owner.value.element }

  /// Makes the element a part of another element.
  func join(_ collection: GCControllerElement) {
    owner.value = WeakElement(element: collection)
  }

  /// True if the element has values between pressed and released.
  open var isAnalog: Bool { analog.value }

  /// Sets whether the element has values between pressed and released.
  func setAnalog(_ isAnalog: Bool) { analog.value = isAnalog }

  /// True if the system has a gesture on the element: always false on Linux.
  open var isBoundToSystemGesture: Bool { false }

  /// The input that the program prefers to receive from a control with a system gesture.
  ///
  /// Linux has no such gestures: the value is stored and has no effect.
  open var preferredSystemGestureState: SystemGestureState {
    get { texts.value.gestureState }
    set { texts.value.gestureState = newValue }
  }

  /// The name of the element to show to users, in English; by default nil if it is in no profile.
  open var localizedName: String? {
    get { texts.value.localizedName }
    set { texts.value.localizedName = newValue }
  }

  /// The name before remapping: the same name unless the program sets one of them, because hidsim
  /// does not remap elements.
  open var unmappedLocalizedName: String? {
    get { texts.value.unmappedLocalizedName }
    set { texts.value.unmappedLocalizedName = newValue }
  }

  /// The name of Apple's symbol for the element; nil unless the program sets it.
  open var sfSymbolsName: String? {
    get { texts.value.sfSymbolsName }
    set { texts.value.sfSymbolsName = newValue }
  }

  /// The name of the symbol before remapping; nil unless the program sets it.
  open var unmappedSfSymbolsName: String? {
    get { texts.value.unmappedSfSymbolsName }
    set { texts.value.unmappedSfSymbolsName = newValue }
  }

  /// The names by which a program finds the element in its profile; empty if it is in no profile.
  open var aliases: Set<String> { names.value }

  /// The name of the element in its profile; nil if the element is in no profile.
  var name: String? { names.value.first }

  /// Sets the name in the profile, and both names for users.
  func name(_ name: String, localized: String?) {
    names.value = [name]
    localizedName = localized
    unmappedLocalizedName = localized
  }

  /// True if the element belongs to a device: only events of the device change its value.
  var isOfDevice: Bool {
    get { ofDevice.load(ordering: .relaxed) }
    set { ofDevice.store(newValue, ordering: .relaxed) }
  }
  private let ofDevice = Atomic<Bool>(false)

  /// True if the newest value is the one that was delivered last; always true for a cursor.
  ///
  /// Read it on the handler queue of the device.
  var isDelivered: Bool { true }

  /// Copies the value of an element of another profile; no effect if it is of another kind.
  func copyValue(of other: GCControllerElement) {}
}
