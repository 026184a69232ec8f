// The panel of a device whose file has states or switches, such as pedals: the mode, and what each pedal presses now.
import { fill, make, word } from "./dom.js";
import { makeRepeated } from "./serial.js";
import { command, store } from "./store.js";

export const statePanel = {
  // States are read by a command, which a bench that only shows does not take.
  isFor: (device) => !store.readOnly && device.interfaces.some((one) => one.hasStates),
  make(device, controls) {
    const body = make("div", {});
    const element = make("section", { class: "panel", "aria-label": "States and switches" }, make("h2", {}, "States and switches"), body);
    let fields = new Map();

    const read = makeRepeated(async () => {
      try {
        const [result] = await command({ command: "state", device: device.device });
        show(result.interfaces);
      } catch {
        // The device is gone: the values stay as they were.
      }
    });

    function show(interfaces) {
      const before = fields;
      fields = new Map();
      const rows = interfaces.flatMap((one) => [
        ...Object.entries(one.state ?? {}).map(([name, value]) => stateRow(one.device, name, value, before)),
        ...Object.entries(one.switches ?? {}).map(([name, found]) => switchRow(one.device, name, found, before)),
      ]);
      // An element that is put in again loses the pointer that it has captured.
      if (rows.length !== body.childElementCount || rows.some((row, index) => row !== body.children[index])) fill(body, ...rows);
    }

    function stateRow(label, name, value, before) {
      const key = `${label} ${name}`;
      const row = before.get(key) ?? makeState(label, name);
      fields.set(key, row);
      if (document.activeElement !== row.field) row.field.value = value;
      return row.element;
    }

    function makeState(label, name) {
      const id = `state-${label}-${name}`;
      const field = make("input", { type: "text", inputmode: "numeric", id});
      const form = make("form", { class: "line", onsubmit: async (event) => {
        event.preventDefault();
        await controls.act(field, label, `set ${word(name)} ${field.value}`);
        read();
      } }, make("label", { for: id }, name), field, make("button", { type: "submit"}, `Set ${name}`));
      return { element: form, field };
    }

    function switchRow(label, name, found, before) {
      const key = `${label} switch ${name}`;
      const row = before.get(key) ?? makeSwitch(label, name);
      fields.set(key, row);
      row.button.setAttribute("aria-pressed", String(found.down));
      row.text.textContent = found.presses.length > 0 ? `presses ${found.presses.join(" + ")}` : "presses nothing now";
      return row.element;
    }

    function makeSwitch(label, name) {
      const element = { type: "input", name, ownName: name, title: name };
      const button = controls.holdButton(label, element, name);
      const text = make("small", {});
      return { element: make("div", { class: "line" }, button, text), button, text };
    }

    read();
    return {
      element,
      follow() { read(); },
    };
  },
};
