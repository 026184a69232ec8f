// Controls for elements of a simulated device. A control acts by lines of a script, and shows what reports say.
import { fill, make, word } from "./dom.js";
import { scriptName, title } from "./elements.js";
import { perform } from "./recorder.js";
import { makeSerial } from "./serial.js";
import { commandAtEnd, find, scriptCommand, store } from "./store.js";

const HAT = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

/** The keys, buttons, fingers and sticks that the page holds: a key of its own for each → the interface, and the line that releases it. */
const held = new Map();

/** Notes that the page holds a key, button, finger or stick; `line` releases it. */
export function hold(key, label, line) {
  held.set(key, { label, line });
}

/** Removes what `hold` has noted under a key. */
export function letGo(key) {
  held.delete(key);
}

/** Releases all that is held when the page goes away: its controls cannot release it any more. */
function releaseAll() {
  if (held.size === 0) return;
  commandAtEnd(...[...held.values()].map(({ label, line }) => scriptCommand(label, line)));
  held.clear();
}
window.addEventListener("pagehide", releaseAll);

/** Returns the functions that make the controls of one view, and those that keep the shown values current. */
export function makeControls(alertUser) {
  /** For each interface and element, the functions that show its value. */
  let showers = new Map();

  function reset() {
    showers = new Map();
  }

  /** Returns the latest value of an element: {value, source, time}, or undefined. A device file can give it a name of its own. */
  function known(label, element) {
    const values = find(label)?.interface.values;
    const [one, other] = [element.ownName, element.name].map((name) => name && values?.get(`${element.type} ${name}`));
    return one && (!other || (one.time ?? -1) >= (other.time ?? -1)) ? one : other;
  }

  /** Calls `show` with the latest value of an element, now and after each event that changes it; without a value for one that is not known. */
  function shower(label, element, show) {
    for (const name of new Set([element.name, element.ownName].filter(Boolean))) {
      const key = `${label}\n${element.type} ${name}`;
      if (!showers.has(key)) showers.set(key, []);
      showers.get(key).push(() => show(known(label, element)));
    }
    show(known(label, element) ?? (element.array ? { value: 0 } : null));
  }

  /** Shows the values that an event has changed. */
  function follow(label, event) {
    for (const name of Object.keys(event.changes ?? {})) {
      for (const show of showers.get(`${label}\n${event.type} ${name}`) ?? []) show();
    }
  }

  /** Shows the known values of an interface again. */
  function showValues(label) {
    for (const [key, shows] of showers) {
      if (key.startsWith(`${label}\n`)) for (const show of shows) show();
    }
  }

  /** Carries out lines on a device, and returns whether they succeeded; after a failure the controls show the known values again, and the reason is shown. */
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

  /** Makes a button that holds a key or a button of the device while it is down; Enter keeps it down until Enter is pressed again. */
  function holdButton(label, element, text, attributes = {}) {
    const name = scriptName(element);
    const key = `${label}\n${name}`;
    // A latched key stays down when another view is shown.
    let isDown = held.has(key);
    let isLatched = isDown;
    const serial = makeSerial();
    const set = (down) => {
      if (down === isDown) return;
      isDown = down;
      if (down) hold(key, label, `release ${name}`);
      serial(async () => {
        if (await act(button, label, `${down ? "press" : "release"} ${name}`)) {
          if (!down) letGo(key);
        } else if (down) {
          letGo(key);
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

  /** Returns a function that sends a value of a control, one command at a time; a newer value replaces one that waits. */
  function latest(control, label, line) {
    const serial = makeSerial();
    return (value) => serial(() => act(control, label, line(value)), "value");
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

  /** Makes a lamp that the host sets, and a button that sets it as a host. */
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

  /** Makes a search field, and buttons for the usages of an array whose names it finds: up to 24, such as those of a consumer control. */
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

  return { act, controls, follow, holdButton, known, latest, physical, reset, shower, showValues, usagePalette };
}
