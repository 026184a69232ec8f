// SPDX-License-Identifier: Apache-2.0

/// Android's names of evdev keys and axes, and the tolerance of an axis at rest.
///
/// It has only the parts of Android's key layout files that the event tests of its CTS need.
///
/// Source: frameworks/base/data/keyboards of AOSP.
struct AndroidKeyLayout: Sendable {
  /// Key codes without `KEYCODE_`, by the codes of linux/input-event-codes.h.
  var keys: [UInt16: String]
  /// Axes without `AXIS_`, by the codes of linux/input-event-codes.h.
  var axes: [UInt16: String]
  /// The values that replace the driver's `flat`, by axis.
  var flats: [UInt16: Int32] = [:]

  /// Generic.kl: the layout of all devices that have no file of their own.
  static let generic = AndroidKeyLayout(
    keys: [
      114: "VOLUME_DOWN", 115: "VOLUME_UP", 158: "BACK", 164: "MEDIA_PLAY_PAUSE", 172: "HOME",
      304: "BUTTON_A", 305: "BUTTON_B", 306: "BUTTON_C", 307: "BUTTON_X", 308: "BUTTON_Y",
      309: "BUTTON_Z", 310: "BUTTON_L1", 311: "BUTTON_R1", 312: "BUTTON_L2", 313: "BUTTON_R2",
      314: "BUTTON_SELECT", 315: "BUTTON_START", 316: "BUTTON_MODE", 317: "BUTTON_THUMBL",
      318: "BUTTON_THUMBR",
    ],
    axes: [
      0: "X", 1: "Y", 2: "Z", 3: "RX", 4: "RY", 5: "RZ", 6: "THROTTLE", 7: "RUDDER", 8: "WHEEL",
      9: "GAS", 10: "BRAKE", 16: "HAT_X", 17: "HAT_Y",
    ])

  /// Vendor_0428_Product_4001.kl: the Gravis GamePad Pro.
  ///
  /// Its buttons are counted from the red one, and its stick is a D-pad.
  static let gravis = AndroidKeyLayout(
    keys: [
      304: "BUTTON_X", 305: "BUTTON_A", 306: "BUTTON_B", 307: "BUTTON_Y", 308: "BUTTON_L1",
      309: "BUTTON_R1", 310: "BUTTON_L2", 311: "BUTTON_R2", 312: "BUTTON_SELECT",
      313: "BUTTON_START",
    ],
    axes: [0: "HAT_X", 1: "HAT_Y"])

  /// Vendor_045e_Product_02fd.kl: the Xbox One S controller on Bluetooth, with its two ways to send
  /// the Xbox button.
  static let xboxOneS = AndroidKeyLayout(
    keys: [
      158: "BUTTON_SELECT", 172: "BUTTON_MODE", 304: "BUTTON_A", 305: "BUTTON_B", 307: "BUTTON_X",
      308: "BUTTON_Y", 310: "BUTTON_L1", 311: "BUTTON_R1", 315: "BUTTON_START", 316: "BUTTON_MODE",
      317: "BUTTON_THUMBL", 318: "BUTTON_THUMBR",
    ],
    axes: [
      0: "X", 1: "Y", 2: "Z", 5: "RZ", 9: "RTRIGGER", 10: "LTRIGGER", 16: "HAT_X", 17: "HAT_Y",
    ],
    flats: [0: 4096, 1: 4096, 2: 4096, 5: 4096])

  /// Vendor_054c_Product_09cc.kl: the DualShock 4 with the button numbers of hid-generic.
  static let dualShock4 = AndroidKeyLayout(
    keys: [
      304: "BUTTON_X", 305: "BUTTON_A", 306: "BUTTON_B", 307: "BUTTON_Y", 308: "BUTTON_L1",
      309: "BUTTON_R1", 310: "BUTTON_L2", 311: "BUTTON_R2", 312: "BUTTON_SELECT",
      313: "BUTTON_START", 314: "BUTTON_THUMBL", 315: "BUTTON_THUMBR", 316: "BUTTON_MODE",
      317: "BUTTON_1",
    ],
    axes: [
      0: "X", 1: "Y", 2: "Z", 3: "LTRIGGER", 4: "RTRIGGER", 5: "RZ", 16: "HAT_X", 17: "HAT_Y",
    ])
}
