// What the page knows: the devices, their values, and the latest events. Views register to be told of changes.

export const store = {
  bus: "",
  readOnly: false,
  connected: false,
  /** The simulated devices, by label. */
  devices: new Map(),
  /** The other devices of this machine, by ID. */
  others: new Map(),
  othersProblem: null,
  /** Collections and elements, by the label of an interface or the ID of another device. */
  descriptors: new Map(),
  /** The latest events, oldest first. */
  events: [],
  missed: 0,
};

const EVENT_LIMIT = 500;
const observers = new Set();

/** Calls `observer(change)` with each change: {kind: "list"}, {kind: "values", device}, {kind: "event", event}, {kind: "connection"}. */
export function observe(observer) {
  observers.add(observer);
}

function tell(change) {
  for (const observer of observers) observer(change);
}

/** Returns the interface with a label, and its device. */
export function find(label) {
  for (const device of store.devices.values()) {
    if (device.device === label) return { device, interface: device.interfaces[0] };
    const found = device.interfaces.find((one) => one.device === label);
    if (found) return { device, interface: found };
  }
  return null;
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
  };
  source.onmessage = (message) => take(JSON.parse(message.data));
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
    case "devicesUnknown":
      store.othersProblem = event.message;
      return tell({ kind: "list" });
    case "missed":
      store.missed += event.count;
      return tell({ kind: "event", event });
    default: return takeEvent(event);
  }
}

function takeSnapshot(snapshot) {
  store.bus = snapshot.bus;
  store.readOnly = snapshot.readOnly;
  store.devices = new Map(snapshot.devices.map((device) => [device.device, prepared(device)]));
  store.others = new Map(snapshot.others.map((record) => [record.id, record]));
  store.othersProblem = snapshot.othersProblem;
  store.descriptors.clear();
  tell({ kind: "connection" });
  tell({ kind: "list" });
}

/** Adds to each interface the values of its elements: `input genericDesktop.x` → {value, source}. */
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

function takeEvent(event) {
  store.events.push(event);
  if (store.events.length > EVENT_LIMIT) store.events.shift();
  const found = find(event.device);
  if (event.event === "plugged" || event.event === "unplugged" || event.event === "unusable") {
    // A structural change: everything is read again, without assumptions.
    refresh();
  } else if (found) {
    const one = found.interface;
    if (event.event === "opened") one.open = true;
    if (event.event === "closed") one.open = false;
    for (const [name, value] of Object.entries(event.changes ?? {})) {
      const source = event.event === "input" ? "device" : "host";
      one.values.set(`${event.type} ${name}`, { value, source, time: event.time });
    }
    tell({ kind: "values", device: found.device, interface: one, event });
  }
  tell({ kind: "event", event });
}

let refreshing = null;

/** Reads the list of devices again. */
export function refresh() {
  refreshing ??= (async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    refreshing = null;
    const response = await fetch("devices");
    if (response.ok) takeSnapshot(await response.json());
  })();
  return refreshing;
}

/** Reads the elements of an interface or of another device, once. */
export function descriptor(name) {
  if (!store.descriptors.has(name)) {
    store.descriptors.set(name, (async () => {
      const response = await fetch(`descriptor?device=${encodeURIComponent(name)}`);
      if (!response.ok) throw new Error((await response.text()).trim());
      return response.json();
    })());
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
