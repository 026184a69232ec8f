// The panel of a device on the USB bus: its place, what the host has set, its endpoints, and the host's latest requests.
import { fill, make } from "./dom.js";
import { makeRepeated } from "./serial.js";
import { store } from "./store.js";

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
      ...["Endpoint", "Interface", "Period", "Packet", "Waiting transfers", "Unread reports", "State"].map((text) => make("th", { scope: "col" }, text)))), rows);
    const requests = make("ol", { class: "packets", "aria-label": "Requests of the host, the latest first", tabindex: "0" });
    const none = make("p", { class: "note" }, "None since this page was opened.");
    const element = make("section", { class: "panel", "aria-label": "USB" }, make("h2", {}, "USB"), facts,
      make("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": "Endpoints" }, endpoints), make("h3", {}, "Requests"), none, requests);

    /** Reads the state, again and again as long as the panel is shown. */
    const read = makeRepeated(async () => {
      if (document.visibilityState === "visible") {
        const response = await fetch(`usb?device=${encodeURIComponent(device.device)}`).catch(() => null);
        if (response?.ok) show(await response.json());
        else if (response) show(null);
      }
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
      if (element.isConnected) read();
    });

    /** Shows a state; null for a device that is not plugged. */
    function show(state) {
      const found = state === null ? [["Host", "not plugged"]] : factsOf(state);
      write(facts, found.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]));
      write(rows, (state?.interfaces ?? []).flatMap((one) => one.endpoints.map((endpoint) => rowOf(one, endpoint))));
    }

    read();
    return {
      element,
      follow(event) {
        const text = requestText(event);
        if (text === null) return;
        none.hidden = true;
        requests.prepend(make("li", {}, make("time", {}, (event.time / 1e6).toFixed(3)), " ", text));
        while (requests.childElementCount > REQUEST_LIMIT) requests.lastElementChild.remove();
      },
    };
  },
};

/** Replaces the content of an element, unless it is the same: a selection in it stays. */
function write(element, content) {
  const next = make("div", {}, ...content);
  if (next.textContent !== element.textContent) fill(element, ...next.childNodes);
}

function factsOf(state) {
  const interfaces = state.interfaces.map((one) => [
    `Interface ${one.number}`, `${one.protocol} protocol, ${one.idle === 0 ? "sends changed reports only" : `repeats reports after ${milliseconds(one.idle)}`}`
      + (one.lost > 0 ? `, lost ${one.lost} reports` : "")]);
  return [
    ["Host", state.connected ? `has the device as ${state.place}` : `none; a host can import ${state.place}`],
    ["Speed", `${state.speed} speed`],
    ["Configuration", state.configuration === 0 ? "none" : String(state.configuration)],
    ["Suspended", state.suspended === null ? "not reported" : state.suspended ? "yes" : "no"],
    ["Remote wake-up", state.wakeup ? "allowed" : "not allowed"], ...interfaces];
}

function rowOf(one, endpoint) {
  const isInput = endpoint.direction === "in";
  return make("tr", {}, make("th", { scope: "row" }, `0x${endpoint.address.toString(16).padStart(2, "0")} ${endpoint.direction}`),
    ...[one.device, milliseconds(endpoint.period), `${endpoint.packetSize} bytes`,
      isInput ? String(endpoint.transfers) : "–", isInput ? String(endpoint.reports) : "–",
      endpoint.halted ? "halted" : "works"].map((text) => make("td", {}, text)));
}

function milliseconds(time) {
  return `${time / 1000} ms`;
}

/** Returns the text of an event that is a request on endpoint 0; null for another event. */
function requestText(event) {
  const id = event.report === null || event.report === undefined ? "" : ` ${event.report}`;
  switch (event.event) {
    case "usb": return event.message;
    case "get": return `get ${event.type}${id}: ${event.answer === "report" ? event.bytes : event.answer}`;
    case "set": return `set ${event.type}${id} ${event.bytes}: ${event.answer}`;
    default: return null;
  }
}
