// The panels of devices with more than reports. A panel is one file: it says which devices it is for, and makes its element.
import { linkPanel } from "./panel-link.js";
import { statePanel } from "./panel-state.js";
import { usbPanel } from "./panel-usb.js";

/**
 * All panels. A panel has:
 * - `isFor(device)`: whether a device of the list has it;
 * - `make(device, controls)`: its element, and `follow(event)`, which is called with each event of the device, except those
 *   after which the list of devices is read again, such as plugging.
 */
export const panels = [linkPanel, usbPanel, statePanel];
