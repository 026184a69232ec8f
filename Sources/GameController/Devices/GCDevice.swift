// SPDX-License-Identifier: Apache-2.0

/// A keyboard, mouse or controller.
public protocol GCDevice: NSObjectProtocol {
  /// The queue on which the handlers of the device are called; by default the main queue.
  var handlerQueue: DispatchQueue { get set }
  /// The product name, else the manufacturer name; nil if the device has neither, or if the object
  /// belongs to no device.
  var vendorName: String? { get }
  /// The kind of device, such as ``GCProductCategoryKeyboard``.
  var productCategory: String { get }
  /// The controls of the device.
  var physicalInputProfile: GCPhysicalInputProfile { get }
}

/// The category of a keyboard.
public let GCProductCategoryKeyboard = "Keyboard"
/// The category of a mouse.
public let GCProductCategoryMouse = "Mouse"
/// The category of a snapshot, and of a controller without a category of its own.
public let GCProductCategoryHID = "HID"
