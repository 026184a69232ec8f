// The view of a device that the bench does not simulate: the page is a client of it, as a program is.
import { make } from "./dom.js";
import { store } from "./store.js";

/** The largest number of elements that are shown. */
const ROW_LIMIT = 400;

/** Makes the view; `begin` opens the device, and `end` closes it. */
export function makeOther(alertUser, title, showsHidden) {
  let source = null;
  /** The functions that show values, by type and name. */
  let cells = new Map();

  function show(type, name, text) {
    const cell = cells.get(`${type} ${name}`);
    if (cell) cell.textContent = text;
  }

  /** Returns the address of a report of the device. */
  function address(record, report) {
    const id = report.report === null ? "" : `&id=${report.report}`;
    return `report?device=${record.id}&type=${report.type}${id}`;
  }

  /** Asks the device for a report, shows its values, and returns its bytes; null if it is refused. Many devices refuse input reports until one comes by itself. */
  async function read(record, report, elements) {
    for (const element of elements) show(report.type, element.name, "reading …");
    const response = await fetch(address(record, report)).catch(() => null);
    if (!response?.ok) {
      const reason = response ? (await response.text()).trim() : "the bench does not answer";
      for (const element of elements) show(report.type, element.name, `refused: ${reason}`);
      return null;
    }
    const found = await response.json();
    for (const element of elements) show(report.type, element.name, element.name in (found.values ?? {}) ? `${found.values[element.name]}` : "not in the answer");
    return found.bytes;
  }

  /** Follows the input reports. */
  function follow(record, state) {
    const mine = new EventSource(`reports?device=${record.id}`);
    source = mine;
    mine.onerror = () => { state.textContent = "not open"; };
    mine.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.event === "reading") state.textContent = "open: the page reads its reports";
      if (event.event === "refused" || event.event === "removed") {
        state.textContent = event.event === "refused" ? `cannot be opened: ${event.message}` : "gone";
        mine.close();
      }
      if (event.event === "missed") state.textContent = `open: ${event.count} reports were missed, because they came too fast`;
      for (const [name, value] of Object.entries(event.changes ?? {})) {
        show("input", name, `${value} at ${(event.time / 1e6).toFixed(3)} s`);
      }
    };
  }

  /** Returns the bytes of a report, without ID, with a new value of an element. */
  function withValue(bytes, element, value) {
    const changed = Uint8Array.from(bytes);
    for (let bit = 0; bit < element.size; bit += 1) {
      const at = element.bit + bit;
      const isOn = Math.floor(value / 2 ** bit) % 2 !== 0;
      if (at >> 3 < changed.length) changed[at >> 3] = changed[at >> 3] & ~(1 << (at & 7)) | (isOn ? 1 << (at & 7) : 0);
    }
    return changed;
  }

  /** Returns the field and the button that set an output or feature element. */
  function setter(record, report, element, known) {
    const field = make("input", { type: "number", min: element.minimum, max: element.maximum, "aria-label": `New value of ${title(element)}` });
    const set = make("button", { type: "button", "aria-label": `Set ${title(element)}`, onclick: async () => {
      if (field.value === "") return;
      const value = Number(field.value) < 0 ? Number(field.value) + 2 ** element.size : Number(field.value);
      const body = withValue(known.bytes, element, value);
      set.classList.add("pending");
      const response = await fetch(address(record, report), { method: "POST", body }).catch(() => null);
      set.classList.remove("pending");
      if (!response?.ok) return alertUser(response ? (await response.text()).trim() : "the bench does not answer");
      known.bytes = body;
      show(report.type, element.name, report.type === "output" ? `${field.value}, sent by this page` : field.value);
    } }, "Set");
    return [field, set];
  }

  return {
    end() {
      source?.close();
      source = null;
      cells = new Map();
    },

    /** Opens the device, asks for its input and feature reports, and returns the parts of its view. */
    begin(record, descriptor) {
      const state = make("p", { class: "state", role: "status" }, "opening …");
      const reports = new Map();
      const shown = descriptor.elements.filter((element) => showsHidden() || element.page < 0xff00).slice(0, ROW_LIMIT);
      for (const element of shown) {
        const key = `${element.type} ${element.report}`;
        if (!reports.has(key)) reports.set(key, { type: element.type, report: element.report, elements: [] });
        reports.get(key).elements.push(element);
      }
      const sections = [...reports.values()].map((report, index) => {
        const all = descriptor.elements.filter((one) => one.type === report.type && one.report === report.report);
        const known = { bytes: new Uint8Array(Math.ceil(Math.max(...all.map((one) => one.bit + one.size * Math.max(1, one.slots))) / 8)) };
        const rows = report.elements.filter((element) => !element.array).map((element) => {
          const cell = make("output", {}, "unread");
          cells.set(`${report.type} ${element.name}`, cell);
          const canSet = report.type !== "input" && !store.readOnly;
          return make("tr", {}, make("th", { scope: "row" }, title(element)),
            make("td", { class: "controls" }, cell, ...(canSet ? setter(record, report, element, known) : [])));
        });
        const usages = report.elements.filter((element) => element.array);
        const list = make("ul", { class: "wrap usages" }, ...usages.map((element) => {
          const cell = make("output", {}, "—");
          cells.set(`${report.type} ${element.name}`, cell);
          return make("li", {}, `${title(element)} `, cell);
        }));
        const reading = report.type === "output" ? null : make("button", { type: "button", onclick: async () => {
          const bytes = await read(record, report, report.elements.filter((element) => !element.array));
          if (bytes) known.bytes = Uint8Array.from(bytes.split(" ").slice(report.report === null ? 0 : 1), (one) => parseInt(one, 16));
        } }, "Read again");
        if (report.type !== "output") reading.click();
        const heading = `report-${index}`;
        return make("section", { "aria-labelledby": heading },
          make("h2", { id: heading }, `${report.type}${report.report === null ? "" : ` ${report.report}`}`), reading,
          rows.length > 0 ? make("table", {}, make("tbody", {}, ...rows)) : null,
          usages.length > 0 ? make("details", {}, make("summary", {}, `${usages.length} keys and usages`), list) : null);
      });
      follow(record, state);
      const hidden = descriptor.elements.length - shown.length;
      return [state, ...sections, hidden > 0 ? make("p", {}, make("small", {}, `${hidden} elements are not shown`)) : null];
    },
  };
}
