// The data of the page: the devices, their values, and the latest events. Views register a function that is called with changes.
import { word } from "./dom.js";
import { makeRepeated } from "./serial.js";
import { isKept } from "./timeline.js";

export const store = {
  bus: "",
  readOnly: false,
  connected: false,
  /** True if another hidsim has the port of the page. */
  isReplaced: false,
  /** The simulated devices, by label. */
  devices: new Map(),
  /** The other devices of this machine, by ID. */
  others: new Map(),
  othersProblem: null,
  /** Collections and elements, by the label of an interface or the ID of another device. */
  descriptors: new Map(),
  /** The latest events, oldest first. */
  events: [],
  /** The number of events of the run before these. */
  earlier: 0,
  /** The values of all elements before these events, by device, type and name. */
  initial: new Map(),
  /** The names of the files of devices, by label, as far as the page knows them. */
  files: new Map(),
};

/** The number of latest events that the page keeps at least, for its timeline. */
const EVENT_LIMIT = 20_000;
const observers = new Set();

/** Calls `observer(change)` with each change: {kind: "list"}, {kind: "values", device, interface, event}, {kind: "event", event}, {kind: "connection"}, and {kind: "reset"} if the events begin anew. */
export function observe(observer) {
  observers.add(observer);
}

function tell(change) {
  for (const observer of observers) observer(change);
}

/** Returns the interface with a label, and its device; for the label of a device its first interface, and null if there is none. */
export function find(label) {
  for (const device of store.devices.values()) {
    if (device.device === label) return { device, interface: device.interfaces[0] };
    const found = device.interfaces.find((one) => one.device === label);
    if (found) return { device, interface: found };
  }
  return null;
}

/** Returns the label of the device that has an interface with a label; the label itself if it is gone. */
export function labelOfDevice(label) {
  return find(label)?.device.device ?? label;
}

/** Returns the command that plays lines on a device or interface. An interface is selected in the text: the command names a device. */
export function scriptCommand(label, ...lines) {
  const device = labelOfDevice(label);
  const text = label === device ? lines : [`device ${word(label)}`, ...lines];
  return { command: "script", device, text: text.join("\n") };
}

/** Returns the name of the file of a device; null if the page does not know it. */
export function fileOf(label) {
  return store.files.get(label) ?? store.devices.get(label)?.file ?? null;
}

/** Connects to the events; the browser connects again by itself, and then gets what it has missed. */
export function connect() {
  const source = new EventSource("events");
  source.onopen = () => {
    store.connected = true;
    tell({ kind: "connection" });
  };
  source.onerror = () => {
    store.connected = false;
    tell({ kind: "connection" });
    // A refusal ends the source for good, such as that of a server with too many connections.
    if (source.readyState === EventSource.CLOSED) connectAgain();
  };
  source.onmessage = (message) => take(JSON.parse(message.data));
}

/** Connects again, unless another hidsim has the port now: its link has another secret. */
async function connectAgain() {
  const response = await fetch("devices").catch(() => null);
  store.isReplaced = response?.status === 404;
  tell({ kind: "connection" });
  if (!store.isReplaced) setTimeout(connect, 2000);
}

function take(event) {
  switch (event.event) {
    case "snapshot": return takeSnapshot(event);
    case "arrived":
      store.others.set(event.id, event);
      return tell({ kind: "list" });
    case "removed":
      store.others.delete(event.id);
      store.descriptors.delete(event.id);
      return tell({ kind: "list" });
    case "devices": return refresh();
    case "devicesUnknown":
      store.othersProblem = event.message;
      return tell({ kind: "list" });
    case "missed":
      // A snapshot follows, with which the events begin anew.
      hasBegun = false;
      return tell({ kind: "event", event });
    default: return takeEvent(event);
  }
}

/** True if the first snapshot, or that after missing events, has been taken. */
let hasBegun = false;

/** Begins the events of the run with a snapshot, whose devices have been taken: what came before it is not known here. */
function begin(snapshot) {
  hasBegun = true;
  store.events = [];
  store.earlier = snapshot.number;
  store.initial = new Map();
  for (const one of [...store.devices.values()].flatMap((device) => device.interfaces)) {
    for (const [key, { value }] of one.values) store.initial.set(`${one.device}\n${key}`, value);
  }
  tell({ kind: "reset" });
}

function takeSnapshot(snapshot) {
  store.bus = snapshot.bus;
  store.readOnly = snapshot.readOnly;
  store.devices = new Map(snapshot.devices.map((device) => [device.device, prepared(device)]));
  if (!hasBegun) begin(snapshot);
  for (const device of snapshot.devices) if (device.file) store.files.set(device.device, device.file);
  store.others = new Map(snapshot.others.map((record) => [record.id, record]));
  store.othersProblem = snapshot.othersProblem;
  // Events that came after the snapshot was made.
  for (const event of store.events) if (event.number >= snapshot.number) apply(event);
  for (const key of store.descriptors.keys()) {
    if (!find(key) && !store.others.has(key)) store.descriptors.delete(key);
  }
  tell({ kind: "connection" });
  tell({ kind: "list" });
}

/** Adds to each interface the values of its elements: `input genericDesktop.x` → {value, source, time}. */
function prepared(device) {
  for (const one of device.interfaces) {
    one.values = new Map();
    for (const report of one.reports) {
      for (const [name, value] of Object.entries(report.values ?? {})) {
        one.values.set(`${report.type} ${name}`, { value, source: null, time: null });
      }
    }
  }
  return device;
}

/** Applies an event to the data of its interface; returns the interface and its device, null if there is none. */
function apply(event) {
  const found = find(event.device);
  if (!found) return null;
  const one = found.interface;
  if (event.event === "opened") one.open = true;
  if (event.event === "closed") one.open = false;
  if (event.event === "driver") Object.assign(one, { driver: event.driver, node: event.node, eventNodes: event.eventNodes });
  if (!isKept(event)) return found;
  if (event.bytes && event.type) {
    const report = one.reports.find((other) => other.type === event.type && other.report === (event.report ?? null));
    if (report) report.bytes = event.bytes;
  }
  for (const [name, value] of Object.entries(event.changes ?? {})) {
    const source = event.event === "input" ? "device" : "host";
    one.values.set(`${event.type} ${name}`, { value, source, time: event.time });
  }
  return found;
}

/** Adds the values of an event that is no longer kept to those before the kept events. */
function forget(event) {
  if (!isKept(event)) return;
  for (const [name, value] of Object.entries(event.changes ?? {})) store.initial.set(`${event.device}\n${event.type} ${name}`, value);
}

function takeEvent(event) {
  // A new device can have the label of a removed one.
  if (event.event === "plugged") store.descriptors.delete(event.device);
  store.events.push(event);
  if (store.events.length > EVENT_LIMIT + 1000) {
    for (const dropped of store.events.splice(0, 1000)) forget(dropped);
    store.earlier += 1000;
  }
  if (["plugged", "unplugged", "unusable"].includes(event.event)) {
    // A structural change: everything is read again, without assumptions.
    refresh();
  } else {
    const found = apply(event);
    if (found) tell({ kind: "values", device: found.device, interface: found.interface, event });
  }
  tell({ kind: "event", event });
}

/** Reads the list of devices again; a call during that makes it read once more. */
export const refresh = makeRepeated(async () => {
  try {
    const response = await fetch("devices");
    if (response.ok) takeSnapshot(await response.json());
  } catch {
    // The server has ended: the connection's state says so.
  }
});

/** Returns the elements of an interface or of another device, which are read once; after an error they are read again. */
export function descriptor(name) {
  if (!store.descriptors.has(name)) {
    store.descriptors.set(name, (async () => {
      const response = await fetch(`descriptor?device=${encodeURIComponent(name)}`);
      if (!response.ok) throw new Error((await response.text()).trim());
      return response.json();
    })());
    store.descriptors.get(name).catch(() => store.descriptors.delete(name));
  }
  return store.descriptors.get(name);
}

/** Posts commands of the stream, and returns their results; throws the first error. */
export async function command(...commands) {
  const body = commands.map((one, index) => JSON.stringify({ ...one, token: index })).join("\n");
  const response = await fetch("commands", { method: "POST", body });
  const text = await response.text();
  if (response.status !== 200 && response.status !== 422) throw new Error(text.trim());
  const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const failure = lines.find((line) => "error" in line);
  if (failure) throw new Error(failure.help ? `${failure.error}; ${failure.help}` : failure.error);
  return lines;
}

/** Posts commands when the page goes away, and waits for nothing. */
export function commandAtEnd(...commands) {
  const body = commands.map((one) => JSON.stringify(one)).join("\n");
  fetch("commands", { method: "POST", body, keepalive: true }).catch(() => {});
}
