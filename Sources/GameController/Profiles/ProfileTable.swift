// SPDX-License-Identifier: Apache-2.0

/// The description from which an element of a profile is made.
struct ElementLayout: Sendable {
  enum Kind: Sendable {
    case button
    /// A button with values between released and pressed.
    case trigger
    case pad
    /// A pad that is four buttons: its axes are -1, 0 or 1.
    case digitalPad
    case cursor
  }

  /// The element's name in the profile.
  let name: String
  let kind: Kind
  /// The element's name to show to users.
  let localizedName: String

  init(_ name: String, _ kind: Kind, _ localizedName: String) {
    self.name = name
    self.kind = kind
    self.localizedName = localizedName
  }

  func make() -> GCControllerElement {
    let element: GCControllerElement
    switch kind {
    case .button, .trigger: element = GCControllerButtonInput()
    case .pad, .digitalPad: element = GCControllerDirectionPad()
    case .cursor: element = GCDeviceCursor()
    }
    switch kind {
    case .button, .digitalPad: element.setAnalog(false)
    case .trigger, .pad, .cursor: element.setAnalog(true)
    }
    element.name(name, localized: localizedName)
    return element
  }
}

/// The elements of a profile, by name and by index.
///
/// The axes and halves of a pad have names but no index: the handlers of the profile receive the
/// pad.
struct ProfileTable {
  let layout: [ElementLayout]
  /// The elements, in the order of the layout; without the parts of pads.
  let order: [GCControllerElement]
  private let places: [String: Int]
  /// The elements, and the parts of pads.
  let elements: [String: GCControllerElement]
  let buttons: [String: GCControllerButtonInput]
  let axes: [String: GCControllerAxisInput]
  let dpads: [String: GCControllerDirectionPad]

  init(_ layout: [ElementLayout]) { self.init(layout, layout.map { $0.make() }) }

  /// - Parameters:
  ///   - layout: The descriptions of the elements.
  ///   - order: The elements, in the order of the layout.
  init(_ layout: [ElementLayout], _ order: [GCControllerElement]) {
    self.layout = layout
    self.order = order
    var places: [String: Int] = [:]
    var buttons: [String: GCControllerButtonInput] = [:]
    var axes: [String: GCControllerAxisInput] = [:]
    var dpads: [String: GCControllerDirectionPad] = [:]
    var elements: [String: GCControllerElement] = [:]
    for (place, element) in order.enumerated() {
      places[layout[place].name] = place
      let parts = (element as? GCControllerDirectionPad)?.parts ?? []
      for element in [element] + parts {
        guard let name = element.name else { continue }
        elements[name] = element
        switch element {
        case let button as GCControllerButtonInput: buttons[name] = button
        case let axis as GCControllerAxisInput: axes[name] = axis
        case let pad as GCControllerDirectionPad: dpads[name] = pad
        default: break
        }
      }
    }
    self.elements = elements
    self.places = places
    self.buttons = buttons
    self.axes = axes
    self.dpads = dpads
  }

  /// Returns the index of an element; nil if no element has the name.
  func place(_ name: String) -> Int? { places[name] }
}
