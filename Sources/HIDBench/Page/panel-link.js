// The panel of a device with a command link, such as an InputStick: connection, buffers, packets, and faults of the link.
import { fill, make } from "./dom.js";
import { store } from "./store.js";

/** The number of packets that are shown. */
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
    let isReading = false;
    let isStale = false;
    /** Reads the state of the link; calls during that make it read once more. */
    async function read() {
      isStale = true;
      if (isReading) return;
      isReading = true;
      // The element is not on the page before the first reading.
      let isShown = true;
      while (isStale && isShown) {
        isStale = false;
        const response = await fetch(`link?device=${encodeURIComponent(device.device)}`).catch(() => null);
        if (response?.ok) show(await response.json());
        await new Promise((resolve) => setTimeout(resolve, INTERVAL));
        isShown = element.isConnected;
      }
      isReading = false;
    }
    function show(link) {
      const text = `${link.name} at ${link.link}: ${link.connected ? "a client is connected" : "no client"}`;
      if (state.textContent !== text) state.textContent = text;
      fill(gauges, ...link.buffers.map((buffer) => make("label", {}, `${buffer.name}: `,
        make("meter", { min: 0, max: buffer.capacity, value: buffer.count, "aria-label": `buffer ${buffer.name}` }),
        ` ${buffer.count} of ${buffer.capacity}`)));
      // Reports leave a buffer without an event.
      if (link.buffers.some((buffer) => buffer.count > 0)) isStale = true;
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
