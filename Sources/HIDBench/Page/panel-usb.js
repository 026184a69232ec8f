// The panel of a device on the USB bus: its host, what the host has set, its endpoints, and the host's latest requests.
import { fill, make } from "./dom.js";
import { makeReading } from "./serial.js";
import { labelOfDevice, store } from "./store.js";

/** The largest number of requests that are shown. */
const REQUEST_LIMIT = 50;
/** The time between two readings of the state, in milliseconds: the host suspends the device, and takes reports, without an event. */
const INTERVAL = 250;

export const usbPanel = {
  isFor: () => store.bus === "usb",
  make(device) {
    const facts = make("dl", {});
    const rows = make("tbody", {});
    const endpoints = make("table", { class: "endpoints" }, make("caption", {}, "Endpoints"), make("thead", {}, make("tr", {},
      ...["Endpoint", "Interface", "Period", "Packet", "Waiting transfers", "Waiting reports", "State"].map((text) => make("th", { scope: "col" }, text)))), rows);
    const requests = make("ol", { class: "packets", "aria-label": "Requests of the host, the latest first", tabindex: "0" });
    const none = make("p", { class: "note" }, "None among the events that this page has. Requests for descriptors are not listed.");
    const element = make("section", { class: "panel", "aria-label": "USB" }, make("h2", {}, "USB"), facts,
      make("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": "Endpoints" }, endpoints), make("h3", {}, "Requests"), none, requests);

    /** Shows a state; null if it is not known. */
    function show(state) {
      write(facts, factsOf(state).flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]));
      write(rows, (state?.interfaces ?? []).flatMap((one) => one.endpoints.map((endpoint) => rowOf(one, endpoint))));
    }

    function follow(event) {
      const text = requestText(event);
      if (text === null) return;
      none.hidden = true;
      const interfaceName = event.device === device.device ? "" : `${event.device}: `;
      requests.prepend(make("li", {}, make("time", {}, (event.time / 1e6).toFixed(3)), ` ${interfaceName}${text}`));
      while (requests.childElementCount > REQUEST_LIMIT) requests.lastElementChild.remove();
    }

    store.events.filter((event) => requestText(event) !== null && labelOfDevice(event.device) === device.device)
      .slice(-REQUEST_LIMIT).forEach(follow);
    makeReading(`usb?device=${encodeURIComponent(device.device)}`, INTERVAL, show, () => element.isConnected)();
    return { element, follow };
  },
};

/** Replaces the content of an element, unless it is the same: a selection in it stays. */
function write(element, content) {
  const next = make("div", {}, ...content);
  if (next.innerHTML !== element.innerHTML) fill(element, ...next.childNodes);
}

function factsOf(state) {
  if (state === null) return [["Host", "unknown: the bench does not answer"]];
  if (!state.plugged) return [["Host", "not plugged"]];
  const interfaces = state.interfaces.map((one) => [
    `Interface ${one.number}`, `${one.protocol} protocol, ${[repeats(one.idle, "unchanged reports"),
      ...one.otherIdle.map(({ report, time }) => repeats(time, `report ${report}`)),
      ...(one.lost > 0 ? [`lost ${one.lost} reports`] : [])].join(", ")}`]);
  return [
    ["Host", hostText(state)],
    ["Speed", `${state.speed} speed`],
    ["Configuration", state.configuration === 0 ? "none" : String(state.configuration)],
    ["Suspended", state.suspended === null ? "not reported" : state.suspended ? "yes" : "no"],
    ["Remote wake-up", state.wakeup ? "allowed" : "not allowed"], ...interfaces];
}

function hostText(state) {
  if (!state.served) return `this machine's kernel has the device as ${state.place}`;
  return state.connected ? `a host has imported ${state.place}` : `none; a host can import ${state.place}`;
}

function repeats(time, what) {
  return time === 0 ? `does not repeat ${what}` : `repeats ${what} after ${milliseconds(time)}`;
}

function rowOf(one, endpoint) {
  const isInput = endpoint.direction === "in";
  return make("tr", {}, make("th", { scope: "row" }, `0x${endpoint.address.toString(16).padStart(2, "0")} ${endpoint.direction}`),
    ...[one.device, milliseconds(endpoint.period), `${endpoint.packetSize} bytes`,
      isInput ? String(endpoint.transfers) : "–", isInput ? String(endpoint.reports) : "–",
      endpoint.halted ? "halted" : "not halted"].map((text) => make("td", {}, text)));
}

function milliseconds(time) {
  return `${time / 1000} ms`;
}

/** Returns the text of an event that is a request on endpoint 0, or the withdrawal of one; null for another event. */
function requestText(event) {
  const id = event.report === null || event.report === undefined ? "" : ` ${event.report}`;
  switch (event.event) {
    case "usb": return event.message;
    case "get": return `get ${event.type}${id}: ${event.answer === "report" ? event.bytes : event.answer}`;
    case "set": return `set ${event.type}${id} ${event.bytes}: ${event.answer}`;
    default: return null;
  }
}
