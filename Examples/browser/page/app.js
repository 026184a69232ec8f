// SPDX-License-Identifier: Apache-2.0
// Lists the HID devices that the user has given to this page, uses a DualSense through WebHID, and
// shows gamepads by the Gamepad API.

import { FILTER, isDualSense, readFirmware, readInput, readSerial, setLight } from "./dualsense.js";

const at = (id) => document.getElementById(id);
let pad = null; // the DualSense that is open

/** Sets a text only if it has changed: reports come 250 times a second. */
function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function say(text) {
  show(at("status"), text);
}

/** Does an action, and shows why it failed. */
async function attempt(what, action) {
  try {
    await action();
  } catch (error) {
    say(`${what} failed: ${error.message}`);
  }
}

// --- WebHID --------------------------------------------------------------------------------------

/** Shows the devices that the page may use, and opens the first DualSense. */
async function update() {
  const devices = await navigator.hid.getDevices();
  const hex = (number) => number.toString(16).padStart(4, "0");
  at("devices").replaceChildren(...devices.map((device) => {
    const item = document.createElement("li");
    const code = document.createElement("code");
    code.textContent = `${hex(device.vendorId)}:${hex(device.productId)}`;
    item.append(device.productName, " ", code);
    return item;
  }));
  at("no-device").hidden = devices.length > 0;
  const found = devices.find(isDualSense);
  if (!pad && found) await use(found);
}

async function use(device) {
  pad = device;
  device.addEventListener("inputreport", (event) => {
    if (event.reportId === 1) showInput(readInput(event.data));
  });
  await attempt("Opening the DualSense", async () => {
    await device.open();
    show(at("firmware"), await readFirmware(device));
    show(at("serial"), "not read");
    at("dualsense").hidden = false;
    say("The DualSense is connected.");
  });
}

function showInput(state) {
  const stick = (values) => values.map((value) => value.toFixed(2)).join(", ");
  show(at("pressed"), state.pressed.join(", ") || "nothing");
  show(at("left-stick"), stick(state.leftStick));
  show(at("right-stick"), stick(state.rightStick));
  show(at("battery"), state.battery);
}

async function startWebHID() {
  navigator.hid.addEventListener("connect", update);
  navigator.hid.addEventListener("disconnect", async ({ device }) => {
    if (device === pad) {
      pad = null;
      at("dualsense").hidden = true;
      say("The DualSense is disconnected.");
    }
    await update();
  });
  at("choose").addEventListener("click", () => attempt("The choice", async () => {
    await navigator.hid.requestDevice({ filters: [FILTER] });
    await update();
  }));
  at("light").addEventListener("input", () => attempt("The light", () => setLight(pad, at("light").value)));
  at("read-serial").addEventListener("click", () => attempt("Reading the serial number", async () => {
    show(at("serial"), await readSerial(pad));
  }));
  say("Connect a DualSense.");
  await update();
}

// --- the Gamepad API -----------------------------------------------------------------------------

const articles = new Map(); // by the gamepad's index

function showGamepads() {
  for (const gamepad of navigator.getGamepads()) {
    const article = gamepad && articles.get(gamepad.index);
    if (!article) continue;
    const part = (name) => article.querySelector(`[data-of="${name}"]`);
    const pressed = gamepad.buttons.flatMap((button, index) => (button.pressed ? [`button ${index}`] : []));
    show(part("mapping"), gamepad.mapping || "none");
    show(part("pressed"), pressed.join(", ") || "nothing");
    show(part("axes"), gamepad.axes.map((value) => value.toFixed(2)).join(", "));
  }
  if (articles.size > 0) requestAnimationFrame(showGamepads);
}

function startGamepads() {
  addEventListener("gamepadconnected", ({ gamepad }) => {
    const article = at("gamepad").content.cloneNode(true).querySelector("article");
    article.querySelector("h3").textContent = gamepad.id;
    at("gamepads").append(article);
    at("no-gamepad").hidden = true;
    articles.set(gamepad.index, article);
    if (articles.size === 1) requestAnimationFrame(showGamepads);
  });
  addEventListener("gamepaddisconnected", ({ gamepad }) => {
    articles.get(gamepad.index)?.remove();
    articles.delete(gamepad.index);
    at("no-gamepad").hidden = articles.size > 0;
  });
}

startGamepads();
if (navigator.hid) startWebHID();
else say("This browser has no WebHID.");
