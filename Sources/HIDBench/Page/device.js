// The view of one device: what it is, its collections, and a row with a control for each element.
import { plugDefinition } from "./adding.js";
import { makeControls } from "./controls.js";
import { address, fill, hex4, make, route, selected } from "./dom.js";
import { KEYBOARD, title } from "./elements.js";
import { makeFaults } from "./faults.js";
import { endOwnKeyboard, keyboard, layoutChoice, layoutCode, ownKeyboard, readLayouts, typing } from "./keyboard.js";
import { makeOther } from "./other.js";
import { panels } from "./panels.js";
import { command, descriptor, find, store } from "./store.js";
import { mousePad, stickPads, touchSurface } from "./surface.js";
import { bytesOf, firstBit } from "./timeline.js";

/** Makes the view; `update(change)` follows the store. */
export function makeDevice(main, alertUser) {
  let name = null;
  const controls = makeControls(alertUser);
  let showsHidden = false;
  let headingCount = 0;
  /** The panels of the device that is shown. */
  let shownPanels = [];

  /** Makes a text that follows when, and by what, an element got its value. */
  function age(label, element) {
    const text = make("small", { class: "age" });
    controls.shower(label, element, (known) => {
      text.textContent = known?.time === null || known?.time === undefined ? "" : `${(known.time / 1e6).toFixed(3)} s, ${known.source}`;
    });
    return text;
  }

  function row(label, element) {
    return make("tr", { id: `element-${label}-${element.type}-${element.name}` },
      make("th", { scope: "row" }, make("a", { href: address(label, { element: `${element.type} ${element.name}` }) }, title(element)),
        make("small", {}, ` ${element.type}${element.report === null ? "" : ` ${element.report}`}`)),
      make("td", { class: "controls" }, ...controls.controls(label, element), age(label, element)));
  }

  /** Returns the index of the outermost collection that contains a collection; -1 for none. */
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

  function elements(label, found, level, only = null) {
    const parts = [];
    const tops = found.collections.map((one, index) => [one, index]).filter(([one]) => one.parent === null);
    for (const [top, index] of tops) {
      if (only !== null && index !== only) continue;
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
        make(level, { id: heading }, make("a", { href: address(label, { collection: index }) }, top.title ?? top.usage ?? "Collection")));
      if (keys.length > 0) {
        section.append(...keyboard(controls, label, keys));
        if (!store.readOnly) section.append(ownKeyboard(controls, label, keys));
      }
      const surface = touchSurface(controls, label, mine);
      if (surface) section.append(surface);
      const pads = stickPads(controls, label, surface ? [] : mine);
      if (pads.length > 0) section.append(make("div", { class: "wrap" }, ...pads));
      const pointer = mousePad(controls, label, mine);
      if (pointer) section.append(pointer);
      if (palette.length > 0) section.append(controls.usagePalette(label, palette));
      if (buttons.length > 0) {
        section.append(make("div", { class: "wrap", role: "group", "aria-label": "Buttons" },
          ...buttons.map((element) => controls.holdButton(label, element, title(element)))));
      }
      if (rows.length > 0) section.append(make("table", {}, make("tbody", {}, ...rows.map((element) => row(label, element)))));
      const hiddenCount = mine.length - shown.length;
      if (hiddenCount > 0) section.append(make("p", {}, make("small", {}, `${hiddenCount} vendor elements are hidden`)));
      parts.push(section);
    }
    if (!found.isWhole) parts.push(make("p", {}, "This device has more elements than the page shows."));
    return parts;
  }

  function raw(label) {
    const bytes = make("input", { type: "text", id: `raw-${label}`, placeholder: "01 00 ff", class: "bytes" });
    return make("form", { class: "line", onsubmit: (event) => {
      event.preventDefault();
      if (bytes.value.trim()) controls.act(bytes, label, `report ${bytes.value.trim()}`);
    } }, make("label", { for: `raw-${label}` }, "Send an input report"), bytes, make("button", { type: "submit" }, "Send"));
  }

  /** Shows the facts about an outermost collection: its usage, its kind, the types and IDs of its reports, the collections in it, and links to its elements. */
  function collectionFacts(one, found, index) {
    const top = found.collections[index];
    const mine = found.elements.filter((element) => application(found.collections, element.collection) === index);
    const reports = [...new Set(mine.map((element) => `${element.type}${element.report === null ? "" : ` ${element.report}`}`))];
    const inner = found.collections.filter((other, place) => place !== index && application(found.collections, place) === index);
    return make("dl", {}, ...[
      ["Usage", top.usage ?? "none"], ["Kind", top.kind], ["Reports", reports.join(", ") || "none"],
      ["Collections in it", inner.map((other) => other.title ?? other.usage ?? other.kind).join(", ") || "none"],
      ["Elements", mine.length],
    ].flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, String(value))]),
    make("dt", {}, "All elements"), make("dd", {}, make("ul", { class: "wrap usages" }, ...mine.slice(0, 512).map((element) =>
      make("li", {}, make("a", { href: address(one, { element: `${element.type} ${element.name}` }) }, title(element))))),
    mine.length > 512 ? `and ${mine.length - 512} more` : null));
  }

  /** Shows everything about one element. */
  function elementView(label, element) {
    const first = firstBit(element);
    const bits = element.array ? element.size * element.slots : element.size;
    const raw = make("code", {});
    const value = make("output", {}, "not known");
    controls.shower(label, element, (known) => {
      value.textContent = known ? controls.physical(element, known.value) : "not known";
      const report = find(label)?.interface.reports.find((one) => one.type === element.type && one.report === element.report);
      const all = bytesOf(report ?? {}).flatMap((byte) => Array.from({ length: 8 }, (_, place) => byte >> place & 1));
      raw.textContent = all.length >= first + bits && bits <= 64 ? all.slice(first, first + bits).reverse().join("") : "not known";
    });
    const flags = [element.relative ? "relative" : "absolute", element.array ? `array of ${element.slots}` : "variable",
      element.null ? "null state" : "no null state"];
    const facts = [
      ["Usage", `${element.page.toString(16).padStart(2, "0")}:${element.usage.toString(16).padStart(2, "0")}, ${element.name}`],
      ["Name in the device file", element.ownName ?? "none"],
      ["Report", `${element.type}${element.report === null ? ", without ID" : ` ${element.report}`}`],
      ["Place", `bit ${first} to ${first + bits - 1} of the report`],
      ["Logical range", `${element.minimum} to ${element.maximum}`],
      ["Physical range", `${element.physicalMinimum} to ${element.physicalMaximum}${element.unit ? `, × 10^${element.unitExponent} ${element.unit}` : ", no unit"}`],
      ["Flags", flags.join(", ")], ["At rest", element.neutral],
    ];
    const isButton = element.type === "input" && (element.array || element.size === 1) && !element.relative;
    return make("section", { "aria-label": title(element) },
      make("dl", {}, make("dt", {}, "Value"), make("dd", {}, value), make("dt", {}, "Bits, the highest first"), make("dd", {}, raw),
        make("dt", {}, "Since"), make("dd", {}, age(label, element)),
        ...facts.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, String(text))])),
      make("div", { class: "wrap" }, ...(isButton ? [controls.holdButton(label, element, "Press")] : controls.controls(label, element))));
  }

  /** Returns the view of a part of an interface, if the address names one; null for all of it. */
  function part(one, found) {
    const { part: query } = route();
    const crumbs = (...more) => make("nav", { class: "crumbs", "aria-label": "Place" },
      make("a", { href: address(name) }, name), ...more.flatMap((item) => [" › ", item]));
    if (query.has("element")) {
      const element = found.elements.find((other) => `${other.type} ${other.name}` === query.get("element"));
      if (!element) return [crumbs(), make("p", {}, "There is no such element.")];
      const index = application(found.collections, element.collection);
      const top = found.collections[index];
      const link = top ? make("a", { href: address(one.device, { collection: index }) }, top.title ?? top.usage ?? "Collection") : "no collection";
      return [crumbs(link, title(element)), make("h2", {}, title(element)), elementView(one.device, element)];
    }
    if (query.has("collection")) {
      const index = Number(query.get("collection"));
      const top = found.collections[index];
      if (!top || top.parent !== null) return [crumbs(), make("p", {}, "There is no such collection.")];
      return [crumbs(top.title ?? top.usage ?? "Collection"), collectionFacts(one.device, found, index),
        ...elements(one.device, found, "h2", index)];
    }
    return null;
  }

  function identity(one) {
    if (one.id === undefined) return make("p", {}, "not plugged");
    const facts = [
      ["Vendor and product", `${hex4(one.vendorID)}:${hex4(one.productID)}`], ["Version", hex4(one.version)],
      ["Transport", one.transport], ["Manufacturer", one.manufacturer], ["Serial number", one.serialNumber],
      ["Physical path", one.physicalPath], ["Node", one.node ?? "none"], ["Event nodes", one.eventNodes.join(" ")],
      ["Driver", one.driver ?? "none"], ["ID", one.id],
    ].filter(([, value]) => value !== "");
    return make("details", {}, make("summary", {}, "Identity"),
      make("dl", {}, ...facts.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)])));
  }

  function openState(one) {
    return one.open ? "open: a host reads it" : one.id === undefined ? "not plugged" : "plugged: no host has it open";
  }

  /** Returns whether the view is that of a member of a composite device. */
  function isMember(device) {
    return device.interfaces.length > 1 && device.device !== name;
  }

  function simulated(device, descriptors) {
    const parts = [];
    for (const [index, one] of device.interfaces.entries()) {
      if (name === one.device || device.interfaces.length === 1) {
        const only = part(one, descriptors[index]);
        if (only) return only;
      }
    }
    if (isMember(device)) {
      parts.push(make("nav", { class: "crumbs", "aria-label": "Place" }, make("a", { href: address(device.device) }, device.device), " › ", name));
    }
    for (const panel of isMember(device) ? [] : panels.filter((found) => found.isFor(device))) {
      const made = panel.make(device, controls);
      shownPanels.push(made);
      parts.push(made.element);
    }
    for (const [index, one] of device.interfaces.entries()) {
      if (isMember(device) && one.device !== name) continue;
      const state = make("p", { class: "state", "data-label": one.device, role: "status" }, openState(one));
      const isKeyboard = one.kind === "keyboard";
      parts.push(make("section", { class: "interface", "aria-label": one.device },
        device.interfaces.length > 1 && !isMember(device) ? make("h2", {}, make("a", { href: address(one.device) }, one.device)) : null, state, identity(one),
        isKeyboard ? layoutChoice(show) : null, isKeyboard && !store.readOnly ? typing(controls, one.device) : null,
        ...elements(one.device, descriptors[index], device.interfaces.length > 1 && !isMember(device) ? "h3" : "h2"),
        store.readOnly ? null : raw(one.device), store.readOnly ? null : makeFaults(controls, one)));
    }
    return parts;
  }

  /** Returns the address of the device file of a device. */
  function definitionOf(key) {
    return `definition?device=${encodeURIComponent(key)}`;
  }

  function toolbar(key, device) {
    const hidden = make("input", { type: "checkbox", id: "hidden", checked: showsHidden, onchange: (event) => {
      showsHidden = event.target.checked;
      show();
    } });
    const attempt = (act) => async () => {
      try {
        await act();
      } catch (error) {
        alertUser(error.message);
      }
    };
    const unplug = make("button", { type: "button", id: "unplug", onclick: attempt(async () => {
      await command({ command: "unplug", device: device.device });
      location.hash = "";
    }) }, "Unplug and remove");
    const clone = make("button", { type: "button", id: "clone", onclick: attempt(async () => {
      const response = await fetch(definitionOf(key));
      if (!response.ok) throw new Error((await response.text()).trim());
      await plugDefinition(await response.json());
    }) }, "Clone");
    const file = `${(device?.device ?? key).replace(/[^A-Za-z0-9]+/g, "-")}.json`;
    const save = make("a", { class: "button", id: "save-device", href: definitionOf(key), download: file }, "Save as a file");
    return make("div", { class: "buttons" }, make("label", { for: "hidden" }, hidden, "Show vendor elements"), save,
      store.readOnly ? null : clone, device && !store.readOnly ? unplug : null);
  }

  const layoutsRead = readLayouts();
  const other = makeOther(alertUser, title, () => showsHidden);
  let generation = 0;
  /** The signature of the state from which the view was made: a change of the list makes it anew only if the signature is another one. */
  let shown = null;

  function signature() {
    const device = store.devices.get(name) ?? find(name)?.device;
    const record = store.others.get(name);
    return JSON.stringify([route().view, name, store.readOnly, showsHidden, layoutCode(), String(route().part), device?.device,
      device?.interfaces.map((one) => [one.device, one.id]), device ? null : record?.id]);
  }

  /** Ends what the view has begun. */
  function end() {
    endOwnKeyboard();
    controls.reset();
    shownPanels = [];
    other.end();
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
      end();
      if (route().view === "timeline") {
        parts = [];
      } else if (device) {
        parts = [make("h1", {}, isMember(device) ? name : device.device), toolbar(device.device, device), ...simulated(device, descriptors)];
      } else if (record) {
        parts = [make("h1", {}, record.name), toolbar(record.id, null), identity(record), ...other.begin(record, descriptors[0])];
      } else {
        parts = [make("h1", {}, name ? "This device is gone" : "Choose a device"),
          make("p", {}, "The list has the simulated devices, and those of this machine.")];
      }
    } catch (error) {
      if (mine !== generation) return;
      end();
      parts = [make("h1", {}, name), make("p", { role: "alert" }, error.message)];
    }
    fill(main, ...parts);
  }

  function update(change) {
    if (change.kind === "list" && signature() !== shown) return show();
    if (change.kind === "list") {
      for (const one of find(name)?.device.interfaces ?? []) controls.showValues(one.device);
    }
    if (change.kind !== "values") return;
    const label = change.interface.device;
    for (const state of main.querySelectorAll(".state")) {
      if (state.dataset.label !== label) continue;
      const text = openState(change.interface);
      if (state.textContent !== text) state.textContent = text;
    }
    controls.follow(label, change.event);
    if (change.device.device === (find(name)?.device.device ?? name)) for (const panel of shownPanels) panel.follow(change.event);
  }

  window.addEventListener("hashchange", () => {
    show().then(() => { if (selected()) main.focus(); });
  });
  return update;
}
