// The view of one device: what it is, its collections, and a row with a control for each element.
import { fill, hex4, make, quoted, selected, word } from "./dom.js";
import { makeOther } from "./other.js";
import { perform } from "./recorder.js";
import { command, commandAtEnd, descriptor, find, scriptCommand, store } from "./store.js";

const KEYBOARD = 0x07;
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
const HAT = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

/** The word by which a script names an element. */
function scriptName(element) {
  if (element.ownName) return word(element.ownName);
  if (element.alias && !element.name.includes("#")) return word(element.alias);
  return word(element.name);
}

function title(element) {
  const number = element.name.match(/#\d+$/)?.[0] ?? "";
  const text = element.ownName ?? element.title ?? element.name;
  return element.ownName ? text : `${text}${number}`;
}

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

/** Reads JSON; null if the server refuses or has ended. */
async function readJSON(address) {
  try {
    const response = await fetch(address);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

async function chooseLayout(code) {
  layout = await readJSON(`layout?code=${encodeURIComponent(code)}`) ?? layout;
}

async function readLayouts() {
  layouts = (await readJSON("layouts"))?.layouts ?? [];
  await chooseLayout("en-US");
}

/** The names that buttons of the page hold down, with the labels of their interfaces. */
const held = new Map();

/** Releases what is held when the page goes away or is hidden: its buttons cannot release it any more. */
function releaseAll() {
  if (held.size === 0) return;
  commandAtEnd(...[...held.values()].map(({ label, name }) => scriptCommand(label, `release ${name}`)));
  held.clear();
}
window.addEventListener("pagehide", releaseAll);

/** Makes the view; `update(change)` follows the store. */
export function makeDevice(main, alertUser) {
  let name = null;
  /** For each interface and element, the functions that show its value. */
  let showers = new Map();
  let showsHidden = false;
  let headingCount = 0;

  function shower(label, element, show) {
    const key = `${label}\n${element.type} ${element.name}`;
    if (!showers.has(key)) showers.set(key, []);
    showers.get(key).push(show);
    const known = find(label)?.interface.values.get(`${element.type} ${element.name}`);
    show(known ?? (element.array ? { value: 0 } : null));
  }

  /** Carries out lines on a device; a failed control falls back, and the reason is shown. */
  async function act(control, label, ...lines) {
    control.classList.add("pending");
    try {
      await perform(label, ...lines);
      return true;
    } catch (error) {
      alertUser(error.message);
      showValues(label);
      return false;
    } finally {
      control.classList.remove("pending");
    }
  }

  /** Shows the known values of an interface again. */
  function showValues(label) {
    for (const [key, shows] of showers) {
      const [owner, element] = key.split("\n");
      if (owner !== label) continue;
      const known = find(label)?.interface.values.get(element);
      for (const show of shows) if (known) show(known);
    }
  }

  /** A button that holds a key or a button of the device while it is down; Enter keeps it down. */
  function holdButton(label, element, text, attributes = {}) {
    const name = scriptName(element);
    let isLatched = false;
    let isDown = false;
    let queue = Promise.resolve();
    const key = `${label}\n${name}`;
    const set = (down) => {
      if (down === isDown) return;
      isDown = down;
      if (down) held.set(key, { label, name });
      queue = queue.then(async () => {
        if (await act(button, label, `${down ? "press" : "release"} ${name}`)) {
          if (!down) held.delete(key);
        } else if (down) {
          held.delete(key);
          isDown = false;
        }
      });
    };
    const button = make("button", {
      type: "button", class: "hold", "aria-pressed": "false", "aria-label": title(element), title: title(element),
      disabled: store.readOnly, ...attributes,
      onpointerdown: (event) => {
        if (event.button !== 0) return;
        button.setPointerCapture(event.pointerId);
        isLatched = false;
        set(true);
      },
      onpointerup: () => set(false),
      onpointercancel: () => set(false),
      onlostpointercapture: () => { if (!isLatched) set(false); },
      onkeydown: (event) => {
        if (event.key === " " && !event.repeat) {
          event.preventDefault();
          isLatched = false;
          set(true);
        } else if (event.key === "Enter" && !event.repeat) {
          event.preventDefault();
          isLatched = !isLatched;
          set(isLatched);
        }
      },
      onkeyup: (event) => {
        if (event.key === " ") set(false);
      },
      onblur: () => { if (!isLatched) set(false); },
    }, text);
    shower(label, element, (known) => button.setAttribute("aria-pressed", String((known?.value ?? 0) !== 0)));
    return button;
  }

  /** Arrow keys move the focus between the keys of a keyboard, which is one stop of Tab. */
  function keyboard(label, keys) {
    const byUsage = new Map(keys.map((element) => [element.usage, element]));
    const drawn = new Set();
    const rows = ROWS.map((row) => {
      const cells = row.map(([usage, width = 1]) => {
        const element = byUsage.get(usage);
        const style = `w${String(width * 4)}`;
        if (!element || drawn.has(usage)) return make("span", { class: `gap ${style}` });
        drawn.add(usage);
        const text = cap(element);
        return holdButton(label, element, text, { class: `hold key ${style} ${text.length > 3 ? "long" : ""}`, tabindex: "-1" });
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
        make("div", { class: "wrap" }, ...rest.map((element) => holdButton(label, element, cap(element))))));
    }
    return parts;
  }

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

  /** Sends the latest value of a control, one command at a time. */
  function latest(control, label, line) {
    let wanted = null;
    let isBusy = false;
    return async (value) => {
      wanted = value;
      if (isBusy) return;
      isBusy = true;
      while (wanted !== null) {
        const next = wanted;
        wanted = null;
        await act(control, label, line(next));
      }
      isBusy = false;
    };
  }

  function physical(element, value) {
    const span = element.maximum - element.minimum;
    if (!element.unit || span === 0) return `${value}`;
    const scaled = element.physicalMinimum + (value - element.minimum) * (element.physicalMaximum - element.physicalMinimum) / span;
    return `${value} (${Number((scaled * 10 ** element.unitExponent).toPrecision(5))} ${element.unit})`;
  }

  function slider(label, element) {
    const text = make("output", {}, "—");
    const range = make("input", {
      type: "range", min: element.minimum, max: element.maximum, step: 1, "aria-label": title(element),
      disabled: store.readOnly, oninput: () => send(range.value),
    });
    const send = latest(range, label, (value) => `set ${scriptName(element)} ${value}`);
    const center = make("button", { type: "button", disabled: store.readOnly, "aria-label": `Release ${title(element)}`, onclick: () => send(element.neutral) }, "Release");
    shower(label, element, (known) => {
      if (!known) return;
      if (document.activeElement !== range || !range.matches(":active")) range.value = known.value;
      range.setAttribute("aria-valuetext", physical(element, known.value));
      text.textContent = physical(element, known.value);
    });
    return [range, center, text];
  }

  function nudges(label, element) {
    const text = make("output", {}, "no movement yet");
    const steps = [-10, -1, 1, 10].filter((step) => step >= element.minimum && step <= element.maximum);
    const buttons = steps.map((step) => {
      const button = make("button", {
        type: "button", disabled: store.readOnly, "aria-label": `${title(element)} ${step > 0 ? "+" : "−"}${Math.abs(step)}`,
        onclick: () => act(button, label, `set ${scriptName(element)} ${step}`),
      }, `${step > 0 ? "+" : "−"}${Math.abs(step)}`);
      return button;
    });
    shower(label, element, (known) => {
      if (known?.time !== null && known?.value) text.textContent = `last ${known.value > 0 ? "+" : "−"}${Math.abs(known.value)}`;
    });
    return [...buttons, text];
  }

  function hat(label, element) {
    const count = element.maximum - element.minimum + 1;
    const nothing = element.maximum + 1 < 2 ** element.size ? element.maximum + 1 : element.minimum - 1;
    const names = count === 8 ? HAT : Array.from({ length: count }, (_, index) => `${index}`);
    const id = `hat-${label}-${element.name}`;
    const options = [...names.map((text, index) => [text, element.minimum + index]), ...(element.null && nothing >= 0 ? [["centre", nothing]] : [])];
    const inputs = options.map(([text, value]) => {
      const input = make("input", { type: "radio", name: id, value, disabled: store.readOnly,
        onchange: () => act(input, label, `set ${scriptName(element)} ${value}`) });
      return [input, make("label", {}, input, text)];
    });
    shower(label, element, (known) => {
      if (!known) return;
      const isInside = known.value >= element.minimum && known.value <= element.maximum;
      for (const [input] of inputs) input.checked = Number(input.value) === (isInside ? known.value : nothing);
    });
    return [make("span", { role: "radiogroup", "aria-label": title(element), class: "wrap" }, ...inputs.map(([, one]) => one))];
  }

  /** A lamp that the host sets, with the host's side beside it. */
  function lamp(label, element) {
    const light = make("span", { class: "lamp", role: "status", "aria-label": title(element) }, "off");
    const toggle = make("button", {
      type: "button", disabled: store.readOnly, "aria-label": `Host: switch ${title(element)}`,
      onclick: () => act(toggle, label, `host set ${word(element.name)} ${light.dataset.on ? "off" : "on"}`),
    }, "Host: switch");
    shower(label, element, (known) => {
      const isOn = (known?.value ?? 0) !== 0;
      light.textContent = isOn ? "on" : "off";
      if (isOn) light.dataset.on = "yes"; else delete light.dataset.on;
    });
    return [light, toggle];
  }

  function numberField(label, element) {
    const field = make("input", {
      type: "number", min: element.minimum, max: element.maximum, "aria-label": title(element), disabled: store.readOnly,
    });
    const isOutput = element.type === "output";
    const device = make("button", { type: "button", disabled: store.readOnly, hidden: isOutput,
      "aria-label": `Device: set ${title(element)}`,
      onclick: () => act(field, label, `set ${scriptName(element)} ${field.value}`) }, "Device: set");
    const host = make("button", { type: "button", disabled: store.readOnly, "aria-label": `Host: set ${title(element)}`,
      onclick: () => act(field, label, `host set ${word(element.name)} ${field.value}`) }, "Host: set");
    shower(label, element, (known) => {
      if (known && document.activeElement !== field) field.value = known.value;
    });
    return [field, device, host];
  }

  function controls(label, element) {
    if (element.type !== "input") {
      return element.type === "output" && element.maximum - element.minimum === 1 ? lamp(label, element) : numberField(label, element);
    }
    if (element.relative) return nudges(label, element);
    if (element.page === 1 && element.usage === 0x39 && element.maximum - element.minimum < 16) return hat(label, element);
    return slider(label, element);
  }

  function row(label, element) {
    return make("tr", { id: `element-${label}-${element.type}-${element.name}` },
      make("th", { scope: "row" }, title(element), make("small", {}, ` ${element.type}${element.report === null ? "" : ` ${element.report}`}`)),
      make("td", { class: "controls" }, ...controls(label, element)));
  }

  /** The index of the application collection of an element. */
  function application(collections, index) {
    while (index !== null && index !== undefined && collections[index].parent !== null) index = collections[index].parent;
    return index ?? -1;
  }

  function isButton(element) {
    return element.type === "input" && !element.array && !element.relative && element.size === 1;
  }

  function isHidden(element) {
    return element.page >= 0xff00 && !element.ownName;
  }

  function elements(label, found, level) {
    const parts = [];
    const tops = found.collections.map((one, index) => [one, index]).filter(([one]) => one.parent === null);
    for (const [top, index] of tops) {
      const mine = found.elements.filter((element) => application(found.collections, element.collection) === index);
      const shown = mine.filter((element) => showsHidden || !isHidden(element));
      const keys = shown.filter((element) => element.page === KEYBOARD && element.type === "input" && (element.array || element.size === 1));
      const others = shown.filter((element) => !keys.includes(element));
      const palette = others.filter((element) => element.array);
      const buttons = others.filter((element) => isButton(element));
      const rows = others.filter((element) => !element.array && !isButton(element));
      headingCount += 1;
      const heading = `collection-${headingCount}`;
      const section = make("section", { class: "collection", "aria-labelledby": heading },
        make(level, { id: heading }, top.title ?? top.usage ?? "Collection"));
      if (keys.length > 0) section.append(...keyboard(label, keys));
      if (palette.length > 0) section.append(usagePalette(label, palette));
      if (buttons.length > 0) {
        section.append(make("div", { class: "wrap", role: "group", "aria-label": "Buttons" },
          ...buttons.map((element) => holdButton(label, element, title(element)))));
      }
      if (rows.length > 0) section.append(make("table", {}, make("tbody", {}, ...rows.map((element) => row(label, element)))));
      const hiddenCount = mine.length - shown.length;
      if (hiddenCount > 0) section.append(make("p", {}, make("small", {}, `${hiddenCount} vendor elements are hidden`)));
      parts.push(section);
    }
    if (!found.isWhole) parts.push(make("p", {}, "This device has more elements than the page shows."));
    return parts;
  }

  /** The usages of an array, such as those of a consumer control, found by name. */
  function usagePalette(label, all) {
    const list = make("div", { class: "wrap" });
    const buttons = new Map();
    const button = (element) => {
      if (!buttons.has(element)) buttons.set(element, holdButton(label, element, title(element)));
      return buttons.get(element);
    };
    const show = (text) => {
      const wanted = text.toLowerCase();
      const found = all.filter((element) => element.usage !== 0 && title(element).toLowerCase().includes(wanted));
      fill(list, ...found.slice(0, 24).map(button),
        found.length > 24 ? make("small", {}, `and ${found.length - 24} more: type a part of the name`) : null);
    };
    const search = make("input", { type: "search", "aria-label": "Find a usage", placeholder: "volume", oninput: () => show(search.value) });
    show("");
    return make("div", {}, search, list);
  }

  function layoutChoice() {
    const choice = make("select", { id: "layout", onchange: async () => {
      await chooseLayout(choice.value);
      show();
    } }, ...layouts.map(({ code, name }) =>
      make("option", { value: code, selected: code === layout.code }, `${name} (${code})`)));
    return make("div", { class: "line" }, make("label", { for: "layout" }, "Layout"), choice);
  }

  function typing(label) {
    const text = make("input", { type: "text", id: `type-${label}`, placeholder: "Text" });
    const form = make("form", { class: "line", onsubmit: (event) => {
      event.preventDefault();
      if (text.value) act(text, label, `type ${quoted(text.value)}${layout.code === "en-US" ? "" : ` layout ${layout.code}`}`);
    } }, make("label", { for: `type-${label}` }, "Type a text"), text, make("button", { type: "submit" }, "Type"));
    return form;
  }

  function raw(label) {
    const bytes = make("input", { type: "text", id: `raw-${label}`, placeholder: "01 00 ff", class: "bytes" });
    return make("form", { class: "line", onsubmit: (event) => {
      event.preventDefault();
      if (bytes.value.trim()) act(bytes, label, `report ${bytes.value.trim()}`);
    } }, make("label", { for: `raw-${label}` }, "Send an input report"), bytes, make("button", { type: "submit" }, "Send"));
  }

  /** The faults of the next get or set request, with the script's line that each stands for. */
  function faults(label, reports) {
    const requests = reports.filter((report) => report.type === "feature").map((report) => report.report);
    if (requests.length === 0) return null;
    const kinds = [["Refuse", "error"], ["Never answer", "none"]];
    return make("details", {}, make("summary", {}, "Faults of the next get request"),
      ...requests.map((id) => make("div", { class: "wrap" }, `feature${id === null ? "" : ` ${id}`}: `,
        ...kinds.map(([text, answer]) => {
          const line = `answer once get feature${id === null ? "" : ` ${id}`} with ${answer}`;
          const button = make("button", { type: "button", title: line, disabled: store.readOnly,
            onclick: () => act(button, label, line) }, text);
          return button;
        }))));
  }

  function identity(one) {
    if (one.id === undefined) return make("p", {}, "not plugged");
    const facts = [
      ["Vendor and product", `${hex4(one.vendorID)}:${hex4(one.productID)}`], ["Version", hex4(one.version)],
      ["Transport", one.transport], ["Manufacturer", one.manufacturer], ["Serial number", one.serialNumber],
      ["Physical path", one.physicalPath], ["Node", one.node], ["Event nodes", one.eventNodes.join(" ")],
      ["Driver", one.driver ?? "none"], ["ID", one.id],
    ].filter(([, value]) => value !== "");
    return make("details", {}, make("summary", {}, "Identity"),
      make("dl", {}, ...facts.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)])));
  }

  function openState(one) {
    return one.open ? "open: a host reads it" : one.id === undefined ? "not plugged" : "plugged: no host has it open";
  }

  function simulated(device, descriptors) {
    const parts = [];
    for (const [index, one] of device.interfaces.entries()) {
      const state = make("p", { class: "state", "data-label": one.device, role: "status" }, openState(one));
      const isKeyboard = one.kind === "keyboard";
      parts.push(make("section", { class: "interface", "aria-label": one.device },
        device.interfaces.length > 1 ? make("h2", {}, one.device) : null, state, identity(one),
        isKeyboard ? layoutChoice() : null, isKeyboard && !store.readOnly ? typing(one.device) : null, ...elements(one.device, descriptors[index], device.interfaces.length > 1 ? "h3" : "h2"),
        store.readOnly ? null : raw(one.device), store.readOnly ? null : faults(one.device, one.reports)));
    }
    return parts;
  }

  function toolbar(device) {
    const hidden = make("input", { type: "checkbox", id: "hidden", checked: showsHidden, onchange: (event) => {
      showsHidden = event.target.checked;
      show();
    } });
    const unplug = make("button", { type: "button", id: "unplug", onclick: async () => {
      try {
        await command({ command: "unplug", device: device.device });
        location.hash = "";
      } catch (error) {
        alertUser(error.message);
      }
    } }, "Unplug and remove");
    return make("div", { class: "buttons" }, make("label", { for: "hidden" }, hidden, "Show vendor elements"),
      device && !store.readOnly ? unplug : null);
  }

  const layoutsRead = readLayouts();
  const other = makeOther(alertUser, title, () => showsHidden);
  let generation = 0;
  /** What the view was made of: it is made anew only if this is another one. */
  let shown = null;

  function signature() {
    const device = store.devices.get(name) ?? find(name)?.device;
    const record = store.others.get(name);
    return JSON.stringify([name, store.readOnly, showsHidden, layout.code, device?.device,
      device?.interfaces.map((one) => [one.device, one.id]), device ? null : record?.id]);
  }

  async function show() {
    generation += 1;
    const mine = generation;
    await layoutsRead;
    if (mine !== generation) return;
    name = selected();
    shown = signature();
    const device = store.devices.get(name) ?? find(name)?.device;
    const record = store.others.get(name);
    let parts = [];
    try {
      const labels = device ? device.interfaces.map((one) => one.device) : record ? [record.id] : [];
      const descriptors = await Promise.all(labels.map(descriptor));
      if (mine !== generation) return;
      // From here on nothing waits, so that no other view comes in between.
      showers = new Map();
      other.end();
      if (device) {
        parts = [make("h1", {}, device.device), toolbar(device), ...simulated(device, descriptors)];
      } else if (record) {
        parts = [make("h1", {}, record.name), toolbar(null), identity(record), ...other.begin(record, descriptors[0])];
      } else {
        parts = [make("h1", {}, name ? "This device is gone" : "Choose a device"),
          make("p", {}, "The list has the simulated devices, and those of this machine.")];
      }
    } catch (error) {
      if (mine !== generation) return;
      parts = [make("h1", {}, name), make("p", { role: "alert" }, error.message)];
    }
    fill(main, ...parts);
  }

  function update(change) {
    if (change.kind === "list" && signature() !== shown) return show();
    if (change.kind === "list") {
      for (const one of find(name)?.device.interfaces ?? []) showValues(one.device);
    }
    if (change.kind !== "values") return;
    const label = change.interface.device;
    for (const state of main.querySelectorAll(".state")) {
      if (state.dataset.label !== label) continue;
      const text = openState(change.interface);
      if (state.textContent !== text) state.textContent = text;
    }
    for (const key of Object.keys(change.event.changes ?? {})) {
      const name = `${change.event.type} ${key}`;
      for (const show of showers.get(`${label}\n${name}`) ?? []) show(change.interface.values.get(name));
    }
  }

  window.addEventListener("hashchange", () => {
    show().then(() => { if (selected()) main.focus(); });
  });
  return update;
}
