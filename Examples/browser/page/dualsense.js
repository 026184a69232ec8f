// SPDX-License-Identifier: Apache-2.0
// Sony's DualSense on USB: its reports, and what they mean. The report with the number 1 is what the
// controller sends, 2 is what it receives. The layout is that of Linux, drivers/hid/hid-playstation.c.

export const FILTER = { vendorId: 0x054c, productId: 0x0ce6 };

const BUTTONS = [
  "square", "cross", "circle", "triangle", "L1", "R1", "L2", "R2", "create", "options", "L3", "R3", "PS", "touchpad", "mute",
];
const DIRECTIONS = ["up", "up right", "right", "down right", "down", "down left", "left", "up left"];
const POWER = { 0: "in use", 1: "charging", 2: "full" };

/** Whether a device is a DualSense. */
export function isDualSense(device) {
  return device.vendorId === FILTER.vendorId && device.productId === FILTER.productId;
}

/** The state that input report 1 has; the view begins after the number of the report. */
export function readInput(view) {
  const stick = (offset) => [view.getUint8(offset), view.getUint8(offset + 1)].map((value) => (value - 128) / 128);
  // The lowest four bits are the direction pad, each of the others is a button.
  const bits = view.getUint8(7) | (view.getUint8(8) << 8) | (view.getUint8(9) << 16);
  const direction = DIRECTIONS[bits & 15];
  return {
    pressed: [...(direction ? [direction] : []), ...BUTTONS.filter((_, index) => (bits >> (4 + index)) & 1)],
    leftStick: stick(0),
    rightStick: stick(2),
    // The charge is in tenths.
    battery: `${Math.min((view.getUint8(52) & 15) * 10 + 5, 100)} %, ${POWER[view.getUint8(52) >> 4] ?? "fault"}`,
  };
}

/** Sets the colour of the light bar, `#rrggbb`. */
export async function setLight(device, colour) {
  const report = new Uint8Array(47);
  report[1] = 0x04; // the controller uses the light bar's part of the report, and no other part
  report.set([1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16)), 44);
  await device.sendReport(2, report);
}

/** Reads the firmware's version and date: feature report 0x20, which has its number first. */
export async function readFirmware(device) {
  const view = await device.receiveFeatureReport(0x20);
  const version = view.getUint16(44, true).toString(16).padStart(4, "0");
  return `${version}, ${text(view, 1, 11)}`;
}

/** Reads the serial number: feature report 0x80 asks for it, and 0x81 has the answer once its third byte is 2. */
export async function readSerial(device) {
  const question = new Uint8Array(63);
  question.set([1, 19]);
  await device.sendFeatureReport(0x80, question);
  for (let attempt = 0; attempt < 10; attempt++) {
    const view = await device.receiveFeatureReport(0x81);
    if (view.getUint8(1) === 1 && view.getUint8(2) === 19 && view.getUint8(3) === 2) return text(view, 4, 17);
  }
  throw new Error("the controller gives no serial number");
}

/** Characters of a report, without zeros at the end. */
function text(view, start, length) {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + start, length)).replace(/\0+$/, "");
}
