// A timeline of devices: lanes that are drawn, a list of events, and the details of the selected event and of its moment.
import { fill, make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
/** The height of a row of the list, in pixels; the style sheet has the same. */
const ROW = 26;
const WIDTH = 1000;
const LANE = 34;
const LANE_LIMIT = 24;
/** The distance of the kept states, in events. */
const STEP = 1000;
/** The largest number of bytes whose bits are shown. */
const BIT_LIMIT = 256;
/** The largest number of fields of a report that are shown. */
const FIELD_LIMIT = 512;
const FROM_DEVICE = new Set(["input", "original"]);
const FROM_HOST = new Set(["output", "set", "get"]);
const TYPES = [["", "all events"], ["input", "input reports"], ["host", "output, set and get"], ["other", "other events"]];

/** Returns microseconds as seconds, with six decimals. */
function seconds(time) {
  return `${(time / 1e6).toFixed(6)} s`;
}

function group(event) {
  if (FROM_DEVICE.has(event.event)) return "input";
  return FROM_HOST.has(event.event) ? "host" : "other";
}

/** Returns the content of an event as text, without its device and its time. */
function words(event) {
  const changes = Object.entries(event.changes ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
  const type = event.type && event.type !== event.event ? event.type : "";
  return [event.event, type, event.report ?? "", event.kind ?? "", event.direction ?? "", event.bytes ?? "", changes,
    event.count === undefined ? "" : `${event.count} reports`, event.answer ? `answer: ${event.answer}` : "",
    event.message ?? "", event.client ? `by ${event.client}` : ""].filter((part) => part !== "").join(" ");
}

/** Returns the number of reports that events say are lost. */
function lostIn(events) {
  return events.reduce((sum, event) => sum + (event.event === "lost" ? event.count : 0), 0);
}

/** Returns the bytes of an event, or of a report; none if it has no bytes. */
export function bytesOf(event) {
  return event.bytes ? event.bytes.split(" ").map((byte) => parseInt(byte, 16)) : [];
}

/** Returns the first bit of an element, counted from the start of the report with its ID. */
export function firstBit(element) {
  return element.bit + (element.report === null ? 0 : 8);
}

/** Returns the value of 1 to 64 bits of a report, with the lowest bit first; undefined for another size, or if the report does not have all of them. */
function bitsOf(bytes, from, size, isSigned) {
  if (size < 1 || size > 64 || from + size > bytes.length * 8) return undefined;
  let value = 0n;
  for (let bit = 0; bit < size; bit += 1) {
    if (bytes[(from + bit) >> 3] >> ((from + bit) % 8) & 1) value |= 1n << BigInt(bit);
  }
  if (isSigned && value >> BigInt(size - 1)) value -= 1n << BigInt(size);
  return Number(value);
}

/** Returns whether an event leaves its report in the device: a set-report request that was refused or not answered does not. */
export function isKept(event) {
  return event.event !== "set" || event.answer === undefined || event.answer === "acknowledged";
}

/** Makes the list items of the differences of two traces; a click on the difference of an event selects this event. */
export function differenceList(differences, timeline) {
  return differences.map((one) => {
    const select = make("button", { type: "button", onclick: () => {
      const found = timeline.selectWhere((event) => event.side === one.side && event.line === one.line && event.time === one.time);
      if (!found) select.replaceChildren(`${one.text} (the timeline does not have this event)`);
    } }, one.text);
    return make("li", {}, one.side ? select : one.text);
  });
}

/** Returns the place of the bits of a field in its report, as text. */
function placeOf({ from, size }) {
  const last = from + size - 1;
  const [first, end] = [from >> 3, last >> 3];
  if (from % 8 === 0 && size % 8 === 0) return first === end ? `byte ${first}` : `bytes ${first} to ${end}`;
  if (size === 1) return `byte ${first}, bit ${from % 8}`;
  return first === end ? `byte ${first}, bits ${from % 8} to ${last % 8}` : `byte ${first}, bit ${from % 8} to byte ${end}, bit ${last % 8}`;
}

/** Returns the smallest index of an ascending list whose value is not below a value; the length of the list if there is none. */
function lowerBound(count, value, at) {
  let from = 0;
  let to = count;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (at(middle) < value) from = middle + 1; else to = middle;
  }
  return from;
}

/**
 * Makes a timeline in an element.
 *
 * @param element The element that gets it.
 * @param options limit: the number of latest events that `add` keeps at least; name: the start of the IDs of its elements; level: the level of its headings, 1 to 5.
 */
export function makeTimeline(element, { limit = 100_000, name = "timeline", level = 2 } = {}) {
  let devices = new Map();
  let events = [];
  let dropped = 0;
  let after = 0;
  /** The number of reports that the events say are lost. */
  let lost = 0;
  /** The indices of the events that the filters let through. */
  let shown = [];
  let filters = { device: "", type: "", text: "" };
  /** The part of the time that is drawn. */
  let from = 0;
  let to = 1;
  let follows = true;
  let selected = -1;
  /** The values before each step of events. */
  let states = [new Map()];
  let player = null;

  // The parts.
  const deviceSelect = make("select", { id: `${name}-device`, onchange: () => setFilter("device", deviceSelect.value) });
  const typeSelect = make("select", { id: `${name}-type`, onchange: () => setFilter("type", typeSelect.value) },
    ...TYPES.map(([value, title]) => make("option", { value }, title)));
  const textField = make("input", { type: "search", id: `${name}-text`, placeholder: "control, bytes or client",
    oninput: () => setFilter("text", textField.value.trim().toLowerCase()) });
  // It is no live region: in a run it changes with every event.
  const count = make("p", { class: "count" });
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const play = make("button", { type: "button", "aria-pressed": "false", onclick: () => togglePlay() }, "Play");
  const scrubber = make("input", { type: "range", min: 0, max: 0, step: 1, value: 0, class: "scrubber", "aria-label": "Event",
    oninput: () => select(shown[Number(scrubber.value)] ?? -1) });
  const lanes = make("div", { class: "lanes" });
  const scale = make("div", { class: "scale", "aria-hidden": "true" });
  const rows = make("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": "Events", id: `${name}-rows` });
  const filler = make("div", { class: "filler", role: "presentation" });
  rows.append(filler);
  const detail = make("section", { class: "detail", "aria-label": "The selected event" });
  element.classList.add("timeline");
  element.append(
    make("div", { class: "bar" },
      make("label", { for: `${name}-device` }, "Device"), deviceSelect,
      make("label", { for: `${name}-type` }, "Events"), typeSelect,
      make("label", { for: `${name}-text` }, "Filter"), textField),
    make("div", { class: "bar" },
      button("−", "Zoom out", () => zoom(2)), button("+", "Zoom in", () => zoom(.5)), button("All", "Show all of the time", showAll),
      button("◂", "Previous event", () => step(-1)), button("▸", "Next event", () => step(1)), play, scrubber),
    count, lanes, scale, make("div", { class: "split" }, rows, detail));

  // MARK: Data

  /** Adds the elements of a device, which hold from a time on: a new device can have the label of a removed one. */
  function addDevice(label, elements, time = -Infinity) {
    const found = { time, elements: elements?.elements ?? [] };
    const before = devices.get(label) ?? [];
    devices.set(label, [...before.filter((one) => one.time !== time), found].sort((one, other) => one.time - other.time));
    const options = [["", "all devices"], ...[...devices.keys()].map((one) => [one, one])];
    fill(deviceSelect, ...options.map(([value, title]) => make("option", { value, selected: value === filters.device }, title)));
  }

  /** Returns the elements of the device of an event. */
  function elementsOf(event) {
    const all = devices.get(event.device) ?? [];
    return (all.findLast((one) => one.time <= event.time) ?? all[0])?.elements ?? [];
  }

  function load(timeline) {
    stop();
    devices = new Map();
    resetFilters();
    for (const device of timeline.devices) addDevice(device.device, device.elements);
    events = timeline.events;
    // Events of a trace with several devices can be in the order of its devices.
    if (events.some((event, index) => index > 0 && event.time < events[index - 1].time)) {
      events = events.slice().sort((one, other) => one.time - other.time);
    }
    dropped = timeline.before;
    after = timeline.after;
    lost = lostIn(events);
    states = [new Map(timeline.initial ?? [])];
    selected = -1;
    follows = false;
    filter();
    showAll();
    fill(detail, make("p", {}, "Select an event."));
  }

  /** Adds an event that has just happened. */
  function add(event) {
    events.push(event);
    lost += lostIn([event]);
    if (matches(event)) shown.push(events.length - 1);
    if (events.length > limit + STEP) {
      // The oldest step is dropped, and the state after it becomes the first one.
      stateAt(STEP);
      lost -= lostIn(events.splice(0, STEP));
      states.shift();
      dropped += STEP;
      shown = shown.filter((index) => index >= STEP).map((index) => index - STEP);
      selected = selected < STEP ? -1 : selected - STEP;
    }
    schedule();
  }

  function matches(event) {
    if (filters.device && event.device !== filters.device) return false;
    if (filters.type && group(event) !== filters.type) return false;
    return !filters.text || `${event.device} ${words(event)}`.toLowerCase().includes(filters.text);
  }

  function filter() {
    shown = [];
    events.forEach((event, index) => { if (matches(event)) shown.push(index); });
  }

  function resetFilters() {
    filters = { device: "", type: "", text: "" };
    [deviceSelect.value, typeSelect.value, textField.value] = ["", "", ""];
  }

  function setFilter(key, value) {
    filters[key] = value;
    filter();
    rows.scrollTop = 0;
    draw();
    if (selected >= 0) reveal();
  }

  const timeAt = (index) => events[shown[index]].time;

  // MARK: The values at a moment

  function key(event, control) {
    return `${event.device}\n${event.type} ${control}`;
  }

  function apply(state, event) {
    if (!isKept(event)) return;
    for (const [control, value] of Object.entries(event.changes ?? {})) state.set(key(event, control), value);
    // The answer to a get request shows what the device has.
    if (event.event !== "get" || event.changes) return;
    const bytes = bytesOf(event);
    if (bytes.length === 0) return;
    for (const one of ownElements(event)) state.set(key(event, one.ownName ?? one.name), valueIn(bytes, one));
  }

  /** Returns the elements of the report of an event. */
  function ownElements(event) {
    return elementsOf(event).filter((one) => one.type === event.type && (one.report ?? null) === (event.report ?? null));
  }

  /**
   * Returns the value of an element in the bytes of its report, undefined if the bytes lack it.
   *
   * It is 1 or 0 for a usage of an array. If a slot selects the usage, the other slots may be missing.
   */
  function valueIn(bytes, one) {
    if (!one.array) return bitsOf(bytes, firstBit(one), one.size, one.minimum < 0);
    let isWhole = true;
    for (let slot = 0; slot < one.slots; slot += 1) {
      const found = bitsOf(bytes, firstBit(one) + slot * one.size, one.size, one.selector < 0);
      if (found === one.selector) return 1;
      if (found === undefined) isWhole = false;
    }
    return isWhole ? 0 : undefined;
  }

  /** Returns the values after an event: device, type and control → value. */
  function stateAt(index) {
    const wanted = Math.floor(index / STEP);
    while (states.length <= wanted) {
      const state = new Map(states.at(-1));
      const start = (states.length - 1) * STEP;
      for (const event of events.slice(start, start + STEP)) apply(state, event);
      states.push(state);
    }
    const state = new Map(states[wanted]);
    for (const event of events.slice(wanted * STEP, index + 1)) apply(state, event);
    return state;
  }

  /** Returns the value of an element in the values after an event; undefined if it is not known. */
  function value(state, event, one) {
    const named = one.ownName ? state.get(`${event.device}\n${one.type} ${one.ownName}`) : undefined;
    return named ?? state.get(`${event.device}\n${one.type} ${one.name}`);
  }

  // MARK: Selection

  function select(index, scrolls = true) {
    selected = index;
    follows = false;
    if (index >= 0) {
      const time = events[index].time;
      if (time < from || time > to) {
        const half = (to - from) / 2;
        [from, to] = [time - half, time + half];
      }
    }
    draw();
    if (scrolls) reveal();
    showDetail();
  }

  function place() {
    return lowerBound(shown.length, selected, (index) => shown[index]);
  }

  function step(distance) {
    if (shown.length === 0) return;
    const now = selected < 0 ? (distance > 0 ? -1 : shown.length) : place();
    select(shown[Math.max(0, Math.min(shown.length - 1, now + distance))]);
  }

  function reveal() {
    const top = place() * ROW;
    if (top < rows.scrollTop) rows.scrollTop = top;
    if (top + ROW > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + ROW - rows.clientHeight;
    drawRows();
  }

  // MARK: Time

  function bounds() {
    if (events.length === 0) return [0, 1];
    const [first, last] = [events[0].time, events.at(-1).time];
    return first === last ? [first - 500, last + 500] : [first, last];
  }

  function showAll() {
    follows = false;
    const [first, last] = bounds();
    const margin = (last - first) * .01;
    [from, to] = [first - margin, last + margin];
    draw();
  }

  function zoom(factor, around = selected >= 0 ? events[selected].time : (from + to) / 2) {
    follows = false;
    const [first, last] = bounds();
    const most = Math.max(1000, (last - first) * 1.02);
    const span = Math.min(most, Math.max(50, (to - from) * factor));
    const share = (around - from) / (to - from);
    from = around - span * share;
    to = from + span;
    draw();
  }

  function togglePlay() {
    if (player) return stop();
    if (shown.length === 0) return;
    const first = selected < 0 || place() >= shown.length - 1 ? 0 : place();
    select(shown[first]);
    const begun = performance.now();
    const start = events[shown[first]].time;
    let next = first;
    play.setAttribute("aria-pressed", "true");
    play.textContent = "Stop";
    const tick = () => {
      const now = start + (performance.now() - begun) * 1000;
      const index = lowerBound(shown.length, now + 1, timeAt) - 1;
      if (index > next) {
        next = index;
        select(shown[index]);
      }
      if (index >= shown.length - 1) return stop();
      player = requestAnimationFrame(tick);
    };
    player = requestAnimationFrame(tick);
  }

  function stop() {
    if (player) cancelAnimationFrame(player);
    player = null;
    play.setAttribute("aria-pressed", "false");
    play.textContent = "Play";
  }

  // MARK: Drawing

  let isScheduled = false;
  /** Draws with the next frame, at most once, and only if the timeline can be seen. */
  function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      if (!element.isConnected || element.offsetParent === null) return;
      const [first, last] = bounds();
      if (follows) [from, to] = [Math.max(first, last - 10e6), last + 1];
      const isAtEnd = rows.scrollTop + rows.clientHeight >= filler.clientHeight - 2 * ROW;
      draw();
      if (isAtEnd && selected < 0) rows.scrollTop = filler.clientHeight;
    });
  }

  function draw() {
    drawCount();
    drawLanes();
    filler.style.height = `${shown.length * ROW}px`;
    drawRows();
    scrubber.max = Math.max(0, shown.length - 1);
    scrubber.disabled = shown.length === 0;
    if (selected >= 0) scrubber.value = place();
    scrubber.setAttribute("aria-valuetext", selected < 0 ? "none selected" : `${seconds(events[selected].time)}, ${words(events[selected])}`);
  }

  function drawCount() {
    const first = lowerBound(shown.length, from, timeAt);
    const last = lowerBound(shown.length, to, timeAt);
    const inputs = shown.slice(first, last).filter((index) => events[index].event === "input");
    const span = inputs.length > 1 ? events[inputs.at(-1)].time - events[inputs[0]].time : 0;
    count.textContent = [
      `${shown.length === events.length ? events.length : `${shown.length} of ${events.length}`} ${events.length === 1 ? "event" : "events"}`,
      `${last - first} from ${seconds(from)} to ${seconds(to)}`,
      span > 0 && inputs.length >= 10 ? `${((inputs.length - 1) * 1e6 / span).toFixed(1)} input reports a second` : "",
      lost > 0 ? `${lost} reports lost` : "",
      dropped > 0 ? `${dropped} earlier events are not shown` : "",
      after > 0 ? `${after} later events are not shown` : "",
    ].filter(Boolean).join("; ");
  }

  function svg(tag, attributes) {
    const made = document.createElementNS(SVG, tag);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    return made;
  }

  /** Draws lanes, up to LANE_LIMIT, for the devices with events in the drawn time, or for all devices if none has: reports of the device above the line, those of hosts below. */
  function drawLanes() {
    const first = lowerBound(shown.length, from, timeAt);
    const last = lowerBound(shown.length, to, timeAt);
    const bins = new Map();
    const labels = [...new Set([...devices.keys()].filter((label) => !filters.device || label === filters.device))];
    for (let index = first; index < last; index += 1) {
      const event = events[shown[index]];
      if (!bins.has(event.device)) bins.set(event.device, { input: new Map(), host: new Map(), other: new Map(), lost: new Map() });
      const x = Math.round((event.time - from) / (to - from) * WIDTH);
      const lane = bins.get(event.device)[event.event === "lost" ? "lost" : group(event)];
      lane.set(x, (lane.get(x) ?? 0) + 1);
    }
    for (const label of bins.keys()) if (!labels.includes(label)) labels.push(label);
    const busy = labels.filter((label) => bins.has(label));
    const drawn = (busy.length > 0 ? busy : labels).slice(0, LANE_LIMIT);
    const parts = drawn.map((label) => {
      const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${LANE}`, preserveAspectRatio: "none", class: "lane" });
      picture.append(svg("line", { x1: 0, x2: WIDTH, y1: LANE / 2, y2: LANE / 2, class: "base" }));
      for (const [kind, marks] of Object.entries(bins.get(label) ?? {})) {
        const half = LANE / 2 - 1;
        const path = [...marks].map(([x, number]) => {
          const height = Math.min(half, 9 + Math.log2(number) * 3);
          if (kind === "lost") return `M${x} 0V${LANE}`;
          if (kind === "other") return `M${x} ${LANE / 2 - 3}V${LANE / 2 + 3}`;
          return kind === "input" ? `M${x} ${LANE / 2}v${-height}` : `M${x} ${LANE / 2}v${height}`;
        }).join("");
        if (path) picture.append(svg("path", { d: path, class: kind, "vector-effect": "non-scaling-stroke" }));
      }
      if (selected >= 0) {
        const x = (events[selected].time - from) / (to - from) * WIDTH;
        picture.append(svg("path", { d: `M${x} 0V${LANE}`, class: "moment", "vector-effect": "non-scaling-stroke" }));
      }
      return make("div", { class: "lane-line", "aria-hidden": "true" }, make("span", { class: "lane-name" }, label), picture);
    });
    if (busy.length > LANE_LIMIT) parts.push(make("p", {}, `${busy.length - LANE_LIMIT} more devices have no lane here: filter by device`));
    lanes.replaceChildren(...parts);
    scale.replaceChildren(make("span", {}, seconds(from)), make("span", {}, "▲ from the device · ▼ from a host"), make("span", {}, seconds(to)));
  }

  function drawRows() {
    const first = Math.max(0, Math.floor(rows.scrollTop / ROW) - 5);
    const last = Math.min(shown.length, first + Math.ceil((rows.clientHeight || 400) / ROW) + 10);
    const parts = [];
    for (let index = first; index < last; index += 1) {
      const event = events[shown[index]];
      const isSelected = shown[index] === selected;
      const row = make("div", {
        class: `row ${group(event)}`, role: "option", id: `${name}-row-${index}`, "aria-selected": String(isSelected),
        "aria-setsize": shown.length, "aria-posinset": index + 1, onclick: () => select(shown[index], false),
      }, make("time", {}, (event.time / 1e6).toFixed(6)), " ", devices.size > 1 ? make("span", { class: "who" }, `${event.device} `) : null, words(event));
      row.style.top = `${index * ROW}px`;
      parts.push(row);
    }
    filler.replaceChildren(...parts);
    const now = selected >= 0 ? place() : -1;
    if (now >= first && now < last) rows.setAttribute("aria-activedescendant", `${name}-row-${now}`);
    else rows.removeAttribute("aria-activedescendant");
  }

  // MARK: One event

  function showDetail() {
    const event = events[selected];
    if (!event) return fill(detail, make("p", {}, "Select an event."));
    const state = stateAt(selected);
    const before = lowerBound(shown.length, selected, (index) => shown[index]) - 1;
    const facts = [
      ["Device", event.device], ["Time", seconds(event.time)],
      before >= 0 ? ["Since the previous", seconds(event.time - events[shown[before]].time)] : null,
      event.client ? ["By", `${event.client} (${event.process})`] : null,
      event.answer ? ["Answer", event.answer] : null,
      event.latency === undefined ? null : ["Latency", seconds(event.latency)],
      event.line ? ["Line or packet", event.line] : null,
      event.message ? ["Message", event.message] : null,
    ].filter(Boolean);
    const bytes = bytesOf(event);
    const bits = new Map();
    const fields = [];
    // The elements of an array share their bits: one line for all of them.
    const arrays = new Map();
    for (const one of ownElements(event)) {
      if (!one.array) {
        fields.push({ title: one.ownName ?? one.name, value: valueIn(bytes, one), from: firstBit(one), size: one.size });
        continue;
      }
      if (!arrays.has(one.bit)) arrays.set(one.bit, { from: firstBit(one), size: one.size * one.slots, slots: one.slots, names: [], count: 0, none: "none selected" });
      const array = arrays.get(one.bit);
      array.count += 1;
      const found = valueIn(bytes, one);
      if (found) array.names.push(one.ownName ?? one.name);
      if (found === undefined) array.none = undefined;
    }
    for (const array of arrays.values()) {
      fields.push({ title: `${array.slots} of ${array.count} usages`, value: array.names.length > 0 ? array.names.join(", ") : array.none, from: array.from, size: array.size });
    }
    fields.sort((one, other) => one.from - other.from);
    const hiddenCount = Math.max(0, fields.length - FIELD_LIMIT);
    fields.length = Math.min(fields.length, FIELD_LIMIT);
    const mark = (range) => {
      for (const [place, cell] of bits) cell.classList.toggle("marked", range !== null && place >= range.from && place < range.from + range.size);
      for (const field of fields) field.row.classList.toggle("marked", field === range);
    };
    const table = bytes.length > 0 ? make("div", { class: "bytes", role: "group", "aria-label": "Bytes of the report" },
      ...bytes.map((byte, index) => make("span", { class: "byte", "aria-label": `byte ${index}: ${byte.toString(16).padStart(2, "0")}`, role: "img" },
        make("b", {}, byte.toString(16).padStart(2, "0")),
        index < BIT_LIMIT ? make("span", { class: "bits" }, ...Array.from({ length: 8 }, (_, place) => {
          const bit = index * 8 + 7 - place;
          const cell = make("i", { onpointerenter: () => mark(fields.find((field) => bit >= field.from && bit < field.from + field.size) ?? null) }, String(byte >> (7 - place) & 1));
          bits.set(bit, cell);
          return cell;
        })) : null))) : null;
    for (const field of fields) {
      field.row = make("tr", { tabindex: field === fields[0] ? "0" : "-1", onpointerenter: () => mark(field), onfocus: () => mark(field), onblur: () => mark(null) },
        make("th", { scope: "row" }, field.title), make("td", {}, field.value === undefined ? "—" : String(field.value)),
        make("td", {}, placeOf(field)));
    }
    // The arrow keys go through the fields, which are one stop of Tab.
    const moveField = (key) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[key.key];
      const rowsOfFields = fields.map((field) => field.row);
      const next = rowsOfFields[rowsOfFields.indexOf(document.activeElement) + (step ?? 0)];
      if (!step || !next) return;
      key.preventDefault();
      for (const one of rowsOfFields) one.setAttribute("tabindex", one === next ? "0" : "-1");
      next.focus();
    };
    const known = elementsOf(event).filter((one) => !one.relative && value(state, event, one) !== undefined);
    const active = [];
    const neutral = [];
    for (const one of known) (value(state, event, one) === one.neutral ? neutral : active).push(one);
    const list = (those) => make("ul", { class: "values" }, ...those.map((one) => make("li", {}, `${one.type} ${one.ownName ?? one.name} `, make("b", {}, String(value(state, event, one))))));
    fill(detail,
      make(`h${level}`, {}, [event.event, event.type && event.type !== event.event ? event.type : "", event.report ?? ""].filter((part) => part !== "").join(" ")),
      make("dl", {}, ...facts.flatMap(([title, text]) => [make("dt", {}, title), make("dd", {}, String(text))])),
      table,
      fields.length > 0 ? make("div", { class: "fields" }, make("table", { onpointerleave: () => mark(null), onkeydown: moveField },
        make("thead", {}, make("tr", {}, ...["Field", "Value", "Place"].map((text) => make("th", { scope: "col" }, text)))),
        make("tbody", {}, ...fields.map((field) => field.row))), hiddenCount > 0 ? `and ${hiddenCount} more fields` : null) : null,
      known.length > 0 ? make(`h${level + 1}`, {}, "All controls at this moment") : null,
      known.length > 0 ? (active.length > 0 ? list(active) : make("p", {}, "All known controls have their neutral values.")) : null,
      neutral.length > 0 ? make("details", {}, make("summary", {}, `${neutral.length} neutral`), list(neutral)) : null);
  }

  // MARK: Keys and pointer

  rows.addEventListener("scroll", drawRows, { passive: true });
  rows.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(rows.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length };
    if (event.key in steps && shown.length > 0) {
      event.preventDefault();
      step(steps[event.key]);
    } else if (event.key === "+" || event.key === "-" || event.key === "0") {
      event.preventDefault();
      if (event.key === "0") showAll(); else zoom(event.key === "+" ? .5 : 2);
    }
  });
  const timeUnder = (event) => {
    const box = lanes.querySelector(".lane")?.getBoundingClientRect();
    return box ? from + (event.clientX - box.left) / box.width * (to - from) : null;
  };
  let drag = null;
  lanes.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.target.closest(".lane")) return;
    drag = { x: event.clientX, from, to, hasMoved: false };
    lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const box = lanes.querySelector(".lane").getBoundingClientRect();
    const distance = (event.clientX - drag.x) / box.width * (drag.to - drag.from);
    if (Math.abs(event.clientX - drag.x) > 4) drag.hasMoved = true;
    if (!drag.hasMoved) return;
    follows = false;
    [from, to] = [drag.from - distance, drag.to - distance];
    draw();
  });
  lanes.addEventListener("pointerup", (event) => {
    const had = drag;
    drag = null;
    const time = timeUnder(event);
    if (!had || had.hasMoved || time === null || shown.length === 0) return;
    const next = lowerBound(shown.length, time, timeAt);
    const near = [next - 1, next].filter((index) => index >= 0 && index < shown.length)
      .sort((one, other) => Math.abs(timeAt(one) - time) - Math.abs(timeAt(other) - time))[0];
    select(shown[near]);
  });
  lanes.addEventListener("pointercancel", () => { drag = null; });
  lanes.addEventListener("wheel", (event) => {
    const time = timeUnder(event);
    if (time === null || !event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : .8, time);
  }, { passive: false });

  return {
    load, add, addDevice, draw,
    /** Draws all anew, also the details of the selected event. */
    update() {
      draw();
      if (selected >= 0) showDetail();
    },
    /** Selects an event. */
    select(event) { select(events.indexOf(event)); },
    /** Returns the events from one event on; all events for null. */
    eventsFrom: (event) => events.slice(Math.max(0, event ? events.indexOf(event) : 0)),
    /** Selects the first event that meets a condition, and removes filters that hide it; returns whether there is such an event. */
    selectWhere(condition) {
      const found = events.findIndex(condition);
      if (found < 0) return false;
      if (!shown.includes(found)) {
        resetFilters();
        filter();
      }
      select(found);
      return true;
    },
    hasDevice: (label) => devices.has(label),
    follow() { follows = true; schedule(); },
    get selected() { return events[selected] ?? null; },
  };
}
