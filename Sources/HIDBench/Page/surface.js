// Surfaces: fingers on a touch device, the sticks of a gamepad, and the user's own pointer on a mouse.
import { hold, letGo } from "./controls.js";
import { make } from "./dom.js";
import { scriptName, title } from "./elements.js";
import { makeSerial } from "./serial.js";
import { store } from "./store.js";

const DIGITIZER = 0x0d;
const DESKTOP = 0x01;
const TIP = 0x42;
/** The axes of sticks, as pairs of usages: X and Y, Z and Rz, Rx and Ry. */
const PAIRS = [[0x30, 0x31], [0x32, 0x35], [0x33, 0x34]];

function inputs(elements, page, usage) {
  return elements.filter((one) => one.type === "input" && !one.array && one.page === page && one.usage === usage);
}

/** Returns the place of a pointer in an element, from 0 to 1. */
function placeIn(element, event) {
  const box = element.getBoundingClientRect();
  const share = (value, start, length) => Math.min(1, Math.max(0, length > 0 ? (value - start) / length : 0));
  return [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)];
}

function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}

function put(mark, [x, y]) {
  mark.style.left = percent(x);
  mark.style.top = percent(y);
}

/** Makes the surface of a touch screen or touchpad; null if the device is none. */
export function touchSurface(controls, label, elements) {
  const tips = inputs(elements, DIGITIZER, TIP);
  if (tips.length === 0 || inputs(elements, DESKTOP, 0x30).every((one) => one.relative)) return null;
  const serial = makeSerial();
  /** The fingers that are down: the pointer's ID, or "keys" → number, mark. */
  const fingers = new Map();
  let place = [.5, .5];
  const surface = make("div", {
    class: "surface", role: "application", tabindex: store.readOnly ? null : "0",
    "aria-label": "Touch surface. Arrow keys move a finger, Space holds it down.",
  });
  const cursor = make("span", { class: "mark cursor" });
  surface.append(cursor);
  put(cursor, place);
  const send = (line, key = null) => serial(() => controls.act(surface, label, line), key);
  const down = (id, at) => {
    let number = 1;
    while ([...fingers.values()].some((finger) => finger.number === number)) number += 1;
    const mark = make("span", { class: "mark" }, String(number));
    put(mark, at);
    surface.append(mark);
    fingers.set(id, { number, mark });
    hold(`${label}\ntouch ${number}`, label, `touch ${number} up`);
    send(`touch ${number} at ${percent(at[0])} ${percent(at[1])}`);
  };
  const move = (id, at) => {
    const finger = fingers.get(id);
    if (!finger) return;
    put(finger.mark, at);
    send(`touch ${finger.number} move ${percent(at[0])} ${percent(at[1])}`, `move ${finger.number}`);
  };
  const up = (id) => {
    const finger = fingers.get(id);
    if (!finger) return;
    fingers.delete(id);
    finger.mark.remove();
    letGo(`${label}\ntouch ${finger.number}`);
    send(`touch ${finger.number} up`);
  };
  if (!store.readOnly) {
    surface.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      surface.focus();
      surface.setPointerCapture(event.pointerId);
      down(event.pointerId, placeIn(surface, event));
    });
    surface.addEventListener("pointermove", (event) => move(event.pointerId, placeIn(surface, event)));
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
      surface.addEventListener(type, (event) => up(event.pointerId));
    }
    surface.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? .01 : .05;
      const [x, y] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] ?? [0, 0];
      if (x || y) {
        event.preventDefault();
        place = [Math.min(1, Math.max(0, place[0] + x)), Math.min(1, Math.max(0, place[1] + y))];
        put(cursor, place);
        move("keys", place);
      } else if (event.key === " " && !event.repeat) {
        event.preventDefault();
        down("keys", place);
      }
    });
    surface.addEventListener("keyup", (event) => { if (event.key === " ") up("keys"); });
    surface.addEventListener("blur", () => up("keys"));
  }
  return surface;
}

/**
 * Makes a pad for each pair of axes of a stick, below the names of the axes.
 *
 * The pads are for a pointer only: the sliders of the same axes are there for the keyboard and for screen readers.
 */
export function stickPads(controls, label, elements) {
  return PAIRS.map(([first, second]) => {
    const pair = [first, second].map((usage) => inputs(elements, DESKTOP, usage).find((one) => !one.relative));
    if (!pair.every(Boolean)) return null;
    const [x, y] = pair;
    const serial = makeSerial();
    const mark = make("span", { class: "mark" });
    const axes = `${title(x)} and ${title(y)}`;
    const pad = make("div", { class: "surface stick", title: axes }, mark);
    const shares = [.5, .5];
    const send = (values) => serial(() =>
      controls.act(pad, label, `set ${scriptName(x)} ${values[0]} ${scriptName(y)} ${values[1]}`), "stick");
    pair.forEach((axis, index) => controls.shower(label, axis, (known) => {
      if (!known) return;
      shares[index] = (known.value - axis.minimum) / Math.max(1, axis.maximum - axis.minimum);
      put(mark, shares);
    }));
    let isDown = false;
    const key = `${label}\nstick ${x.name}`;
    const set = (event) => {
      const place = placeIn(pad, event);
      send(pair.map((axis, index) => Math.round(axis.minimum + place[index] * (axis.maximum - axis.minimum))));
    };
    if (!store.readOnly) {
      pad.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        pad.setPointerCapture(event.pointerId);
        isDown = true;
        hold(key, label, `set ${scriptName(x)} ${x.neutral} ${scriptName(y)} ${y.neutral}`);
        set(event);
      });
      pad.addEventListener("pointermove", (event) => { if (isDown) set(event); });
      pad.addEventListener("lostpointercapture", () => {
        if (!isDown) return;
        isDown = false;
        letGo(key);
        send(pair.map((axis) => axis.neutral));
      });
    }
    return make("div", { class: "stick-pad", "aria-hidden": "true" }, make("span", { class: "note" }, axes), pad);
  }).filter(Boolean);
}

/** Makes the pad of a mouse: dragging moves, and the user's own pointer can drive it until Escape; null if there is no mouse, or if the bench takes no commands. */
export function mousePad(controls, label, elements) {
  const axes = [0x30, 0x31].map((usage) => inputs(elements, DESKTOP, usage).find((one) => one.relative));
  if (!axes.every(Boolean) || store.readOnly) return null;
  const buttons = ["left", "middle", "right", "back", "forward"];
  const has = inputs(elements, 0x09, 1).length > 0;
  const hasWheel = inputs(elements, DESKTOP, 0x38).length > 0;
  const serial = makeSerial();
  const down = new Set();
  let [moved, wheel] = [[0, 0], 0];
  const pad = make("div", { class: "surface mouse", "aria-hidden": "true" }, "drag to move");
  const note = make("span", { role: "status", class: "note" });
  const act = (line) => controls.act(pad, label, line);
  const move = (event) => {
    moved = [moved[0] + event.movementX, moved[1] + event.movementY];
    serial(async () => {
      const [x, y] = moved.map(Math.round);
      moved = [0, 0];
      if (x || y) await act(`move ${x} ${y}`);
    }, "move");
  };
  const set = (name, isDown) => {
    if (isDown === down.has(name)) return;
    if (isDown) down.add(name); else down.delete(name);
    if (isDown) hold(`${label}\npointer ${name}`, label, `release ${name}`); else letGo(`${label}\npointer ${name}`);
    serial(() => act(`${isDown ? "press" : "release"} ${name}`));
  };
  const listeners = {
    mousemove: move,
    mousedown: (event) => { if (has && buttons[event.button]) set(buttons[event.button], true); },
    mouseup: (event) => { if (has && buttons[event.button]) set(buttons[event.button], false); },
    wheel: (event) => {
      if (!hasWheel) return;
      event.preventDefault();
      wheel -= Math.sign(event.deltaY);
      serial(async () => {
        const count = wheel;
        wheel = 0;
        if (count) await act(`scroll ${count}`);
      }, "wheel");
    },
  };
  const own = make("button", { type: "button", "aria-pressed": "false", onclick: async () => {
    try {
      await pad.requestPointerLock();
    } catch (error) {
      note.textContent = `The browser does not give the pointer: ${error.message}`;
    }
  } }, "Use my pointer");
  const changed = () => {
    const isOwn = document.pointerLockElement === pad;
    if (!pad.isConnected) document.removeEventListener("pointerlockchange", changed);
    if (isOwn === (own.getAttribute("aria-pressed") === "true")) return;
    own.setAttribute("aria-pressed", String(isOwn));
    note.textContent = isOwn ? "Your pointer drives the device. Press Escape to get it back." : "";
    for (const [type, listener] of Object.entries(listeners)) {
      if (isOwn) pad.addEventListener(type, listener, { passive: false }); else pad.removeEventListener(type, listener);
    }
    if (!isOwn) for (const name of [...down]) set(name, false);
  };
  document.addEventListener("pointerlockchange", changed);
  let isDragged = false;
  pad.addEventListener("pointerdown", (event) => {
    if (document.pointerLockElement === pad || event.button !== 0) return;
    isDragged = true;
    pad.setPointerCapture(event.pointerId);
  });
  pad.addEventListener("pointermove", (event) => { if (isDragged && document.pointerLockElement !== pad) move(event); });
  pad.addEventListener("lostpointercapture", () => { isDragged = false; });
  return make("div", { class: "line" }, pad, own, note);
}
