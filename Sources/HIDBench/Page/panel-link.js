// The panel of a device with a command link, such as an InputStick: connection, buffers, packets, and faults of the link.
import { fill, make } from "./dom.js";
import { makeReading } from "./serial.js";
import { store } from "./store.js";

/** The largest number of packets that are shown. */
const PACKET_LIMIT = 50;
/** The shortest time between two readings of the buffers, in milliseconds. */
const INTERVAL = 200;
const FAULTS = [["Drop a packet", "link drop 1"], ["Corrupt", "link corrupt 1"], ["Truncate", "link truncate 1"],
  ["Full buffers", "link overflow 1"], ["Delay 200 ms", "link delay 200ms"], ["No delay", "link delay 0s"],
  ["Cut", "link cut"], ["Reset", "link reset"], ["Suspend", "link suspend"], ["Resume", "link resume"]];

export const linkPanel = {
  isFor: (device) => device.link !== null && device.link !== undefined,
  make(device, controls) {
    const state = make("p", { class: "link-state", role: "status" }, "…");
    const gauges = make("div", { class: "gauges" });
    const packets = make("ol", { class: "packets", "aria-label": "Packets, the latest first", tabindex: "0" });
    const buttons = FAULTS.map(([text, line]) => {
      const button = make("button", { type: "button", title: line, disabled: store.readOnly,
        onclick: () => controls.act(button, device.device, line) }, text);
      return button;
    });
    const element = make("section", { class: "panel", "aria-label": "Command link" }, make("h2", {}, "Command link"), state, gauges,
      make("h3", {}, "Packets"), packets,
      make("details", {}, make("summary", {}, "Faults of the link"), make("div", { class: "wrap" }, ...buttons)));
    /** Reads the state of the link, and again while a buffer has reports: they leave it without an event. */
    const read = makeReading(`link?device=${encodeURIComponent(device.device)}`, INTERVAL, show,
      (link) => element.isConnected && Boolean(link?.buffers.some((buffer) => buffer.count > 0)));
    function show(link) {
      if (link === null) return;
      const text = `${link.name} at ${link.link}: ${link.connected ? "a client is connected" : "no client"}`;
      if (state.textContent !== text) state.textContent = text;
      fill(gauges, ...link.buffers.map((buffer) => make("label", {}, `${buffer.name}: `,
        make("meter", { min: 0, max: buffer.capacity, value: buffer.count, "aria-label": `buffer ${buffer.name}` }),
        ` ${buffer.count} of ${buffer.capacity}`)));
    }
    read();
    return {
      element,
      follow(event) {
        if (event.event === "packet") {
          packets.prepend(make("li", {}, make("time", {}, (event.time / 1e6).toFixed(3)), ` ${event.direction} `,
            make("b", {}, event.command ?? event.message ?? "unknown command"), event.encrypted ? ", encrypted" : "", " ",
            make("code", {}, event.content ?? event.bytes)));
          while (packets.childElementCount > PACKET_LIMIT) packets.lastElementChild.remove();
        }
        if (event.event === "packet" || event.event === "link") read();
      },
    };
  },
};
