// A keyboard that is drawn from the descriptor, in a layout of the host; texts; and the user's own keyboard.
import { hold, letGo } from "./controls.js";
import { make, quoted } from "./dom.js";
import { KEYBOARD, scriptName } from "./elements.js";
import { makeSerial, readJSON } from "./serial.js";
import { store } from "./store.js";

/** The rows of a keyboard of 105 keys, as usages and widths; 0 is a gap. */
const ROWS = [
  [[41, 1], [0, 1], [58], [59], [60], [61], [0, .5], [62], [63], [64], [65], [0, .5], [66], [67], [68], [69], [0, .25], [70], [71], [72]],
  [[53], [30], [31], [32], [33], [34], [35], [36], [37], [38], [39], [45], [46], [42, 2], [0, .25], [73], [74], [75], [0, .25], [83], [84], [85], [86]],
  [[43, 1.5], [20], [26], [8], [21], [23], [28], [24], [12], [18], [19], [47], [48], [49, 1.5], [0, .25], [76], [77], [78], [0, .25], [95], [96], [97], [87]],
  [[57, 1.75], [4], [22], [7], [9], [10], [11], [13], [14], [15], [51], [52], [40, 2.25], [0, 3.5], [92], [93], [94]],
  [[225, 1.25], [100], [29], [27], [6], [25], [5], [17], [16], [54], [55], [56], [229, 2.75], [0, 1.25], [82], [0, 1.25], [89], [90], [91], [88]],
  [[224, 1.25], [227, 1.25], [226, 1.25], [44, 6.25], [230, 1.25], [231, 1.25], [101, 1.25], [228, 1.25], [0, .25], [80], [81], [79], [0, .25], [98, 2], [99]],
];
const CAPS = {
  41: "Esc", 53: "` ~", 45: "- _", 46: "= +", 42: "⌫", 43: "Tab", 47: "[ {", 48: "] }", 49: "\\ |", 57: "Caps", 51: "; :", 52: "' \"",
  40: "Enter", 225: "Shift", 229: "Shift", 100: "\\ |", 54: ", <", 55: ". >", 56: "/ ?", 224: "Ctrl", 228: "Ctrl", 226: "Alt",
  230: "AltGr", 227: "Super", 231: "Super", 44: "Space", 101: "Menu", 70: "PrtSc", 71: "ScrLk", 72: "Pause", 73: "Ins", 74: "Home",
  75: "PgUp", 76: "Del", 77: "End", 78: "PgDn", 79: "→", 80: "←", 81: "↓", 82: "↑", 83: "Num", 84: "/", 85: "*", 86: "−", 87: "+",
  88: "Enter", 99: ".", 98: "0",
};
/** The layout of the host whose labels the drawn keyboard has. */
let layout = { code: "en-US", keys: {} };

/** Returns the label of a key. */
function cap(element) {
  const labels = element.page === KEYBOARD ? layout.keys[element.usage] : null;
  if (labels && labels.some(Boolean)) {
    const [plain, shifted] = labels;
    return plain.toUpperCase() === shifted && plain !== shifted ? shifted : [plain, shifted].filter(Boolean).join(" ");
  }
  if (CAPS[element.usage]) return CAPS[element.usage];
  const short = element.alias ?? element.title ?? element.name;
  return /^[a-z0-9]$/.test(short) ? short.toUpperCase() : short.replace(/^keypad/, "").replace(/^f(\d)/, "F$1");
}

let layouts = [];

/** Reads the labels of a layout, and keeps them; returns the reason if they cannot be read, and then keeps those from before. */
async function chooseLayout(code) {
  try {
    const response = await fetch(`layout?code=${encodeURIComponent(code)}`);
    if (!response.ok) return (await response.text()).trim();
    layout = await response.json();
    return null;
  } catch (error) {
    return error.message;
  }
}

/** Reads the names of the layouts, and the labels of en-US. */
export async function readLayouts() {
  layouts = (await readJSON("layouts"))?.layouts ?? [];
  await chooseLayout("en-US");
}

/** Returns the code of the layout whose labels keys have. */
export function layoutCode() {
  return layout.code;
}

/** Makes a drawn keyboard, and a list of the keys that it does not show. Arrow keys move the focus between its keys, which are one stop of Tab. */
export function keyboard(controls, label, keys) {
  const byUsage = new Map(keys.map((element) => [element.usage, element]));
  const drawn = new Set();
  const rows = ROWS.map((row) => {
    const cells = row.map(([usage, width = 1]) => {
      const element = byUsage.get(usage);
      const style = `w${String(width * 4)}`;
      if (!element || drawn.has(usage)) return make("span", { class: `gap ${style}` });
      drawn.add(usage);
      const text = cap(element);
      return controls.holdButton(label, element, text, { class: `hold key ${style} ${/\p{L}{3}|.{4}/u.test(text) ? "long" : ""}`, tabindex: "-1" });
    });
    return make("div", { class: "keys" }, ...cells);
  });
  const rest = keys.filter((element) => !drawn.has(element.usage) && element.usage > 3);
  const board = make("div", { class: "keyboard", role: "group", "aria-label": "Keyboard" }, ...rows);
  const buttons = () => [...board.querySelectorAll("button")];
  const first = buttons()[0];
  first?.setAttribute("tabindex", "0");
  board.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!direction) return;
    event.preventDefault();
    const next = nearest(document.activeElement, buttons(), direction);
    if (!next) return;
    for (const one of buttons()) one.setAttribute("tabindex", one === next ? "0" : "-1");
    next.focus();
  });
  const parts = [board];
  if (rest.length > 0) {
    parts.push(make("details", {}, make("summary", {}, `${rest.length} more keys`),
      make("div", { class: "wrap" }, ...rest.map((element) => controls.holdButton(label, element, cap(element))))));
  }
  return parts;
}

/** Returns the element that is nearest in a direction; undefined if there is none. */
function nearest(from, all, [right, down]) {
  const center = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = center(from);
  let best = null;
  for (const element of all) {
    if (element === from) continue;
    const [otherX, otherY] = center(element);
    const along = (otherX - x) * right + (otherY - y) * down;
    const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
    if (along <= 2) continue;
    const cost = along + aside * 3;
    if (!best || cost < best.cost) best = { cost, element };
  }
  return best?.element;
}

/** The start of the codes of layouts of xkb-data. */
const XKB = "xkb:";

/** Makes the choice of the layout, with a field for one of this machine's xkb-data; `show` draws the view anew. */
export function layoutChoice(show) {
  const isXKB = layout.code.startsWith(XKB);
  const problem = make("span", { role: "alert", hidden: true });
  const use = async (code) => {
    const reason = await chooseLayout(code);
    problem.hidden = !reason;
    problem.textContent = reason ?? "";
    if (!reason) show();
  };
  const name = make("input", {
    type: "text", id: "xkb-layout", placeholder: "de(neo)", value: isXKB ? layout.code.slice(XKB.length) : "", spellcheck: "false",
    autocapitalize: "off", required: true,
  });
  const own = make("form", { class: "line", hidden: !isXKB, onsubmit: (event) => {
    event.preventDefault();
    use(XKB + name.value.trim());
  } }, make("label", { for: "xkb-layout" }, "Layout of xkb-data"), name, make("button", { type: "submit" }, "Use"));
  const choice = make("select", { id: "layout", onchange: () => {
    own.hidden = choice.value !== XKB;
    if (own.hidden) use(choice.value); else name.focus();
  } }, ...layouts.map(({ code, name: title }) =>
    make("option", { value: code, selected: code === layout.code }, `${title} (${code})`)),
  make("option", { value: XKB, selected: isXKB }, isXKB ? `this machine's ${layout.name}` : "one of this machine…"));
  return make("div", {}, make("div", { class: "line" }, make("label", { for: "layout" }, "Layout"), choice), own, problem);
}

/** Makes a field for a text that the device types. */
export function typing(controls, label) {
  const text = make("input", { type: "text", id: `type-${label}`, placeholder: "Text" });
  const form = make("form", { class: "line", onsubmit: (event) => {
    event.preventDefault();
    if (text.value) controls.act(text, label, `type ${quoted(text.value)}${layout.code === "en-US" ? "" : ` layout ${layout.code}`}`);
  } }, make("label", { for: `type-${label}` }, "Type a text"), text, make("button", { type: "submit" }, "Type"));
  return form;
}

/** The usages of the keys of a keyboard, by the `code` of their events. */
const CODES = {
  Enter: 40, Escape: 41, Backspace: 42, Tab: 43, Space: 44, Minus: 45, Equal: 46, BracketLeft: 47, BracketRight: 48, Backslash: 49,
  Semicolon: 51, Quote: 52, Backquote: 53, Comma: 54, Period: 55, Slash: 56, CapsLock: 57, PrintScreen: 70, ScrollLock: 71, Pause: 72,
  Insert: 73, Home: 74, PageUp: 75, Delete: 76, End: 77, PageDown: 78, ArrowRight: 79, ArrowLeft: 80, ArrowDown: 81, ArrowUp: 82,
  NumLock: 83, NumpadDivide: 84, NumpadMultiply: 85, NumpadSubtract: 86, NumpadAdd: 87, NumpadEnter: 88, Numpad0: 98, NumpadDecimal: 99,
  IntlBackslash: 100, ContextMenu: 101, NumpadEqual: 103, IntlRo: 135, KanaMode: 136, IntlYen: 137, Convert: 138, NonConvert: 139,
  ControlLeft: 224, ShiftLeft: 225, AltLeft: 226, MetaLeft: 227, ControlRight: 228, ShiftRight: 229, AltRight: 230, MetaRight: 231,
};
for (let index = 0; index < 26; index += 1) CODES[`Key${String.fromCharCode(65 + index)}`] = 4 + index;
for (let index = 1; index <= 9; index += 1) {
  CODES[`Digit${index}`] = 29 + index;
  CODES[`Numpad${index}`] = 88 + index;
}
CODES.Digit0 = 39;
for (let index = 1; index <= 12; index += 1) CODES[`F${index}`] = 57 + index;
for (let index = 13; index <= 24; index += 1) CODES[`F${index}`] = 91 + index;
/** The longest time between two presses of Escape that give the keyboard back, in milliseconds. */
const TWICE = 600;

/** Ends the use of the user's own keyboard; null while no device has it. */
let giveBack = null;

/** Makes the button that lets the user's own keyboard drive the device, until Escape is pressed twice or the window loses the focus. */
export function ownKeyboard(controls, label, keys) {
  const byUsage = new Map(keys.map((element) => [element.usage, element]));
  const down = new Map();
  const note = make("span", { role: "status", class: "note" });
  const serial = makeSerial();
  let lastEscape = 0;
  const set = (element, isDown) => {
    const name = scriptName(element);
    if (isDown) hold(`${label}\nown ${name}`, label, `release ${name}`); else letGo(`${label}\nown ${name}`);
    serial(() => controls.act(button, label, `${isDown ? "press" : "release"} ${name}`));
  };
  const listen = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === "keydown" && event.code === "Escape" && !event.repeat) {
      if (event.timeStamp - lastEscape < TWICE) return end();
      lastEscape = event.timeStamp;
    }
    const element = byUsage.get(CODES[event.code]);
    if (!element) return;
    if (event.type === "keydown" && !down.has(event.code)) {
      down.set(event.code, element);
      set(element, true);
    } else if (event.type === "keyup" && down.delete(event.code)) {
      set(element, false);
    }
  };
  const releaseAll = () => {
    for (const element of down.values()) set(element, false);
    down.clear();
  };
  const end = () => {
    for (const type of ["keydown", "keyup"]) window.removeEventListener(type, listen, true);
    window.removeEventListener("blur", end);
    releaseAll();
    giveBack = null;
    button.setAttribute("aria-pressed", "false");
    note.textContent = "";
  };
  const button = make("button", { type: "button", "aria-pressed": "false", disabled: store.readOnly, onclick: () => {
    if (giveBack) return giveBack();
    for (const type of ["keydown", "keyup"]) window.addEventListener(type, listen, true);
    // A window without the focus gets no release of a key.
    window.addEventListener("blur", end);
    giveBack = end;
    button.setAttribute("aria-pressed", "true");
    note.textContent = "Your keyboard drives the device. Press Escape twice to get it back.";
  } }, "Use my keyboard");
  return make("div", { class: "line" }, button, note);
}

/** Gives the user's own keyboard back, if a device has it. */
export function endOwnKeyboard() {
  giveBack?.();
}
