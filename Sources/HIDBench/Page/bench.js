// The page of hidsim bench: a list of devices, the view of one, the timeline, the recorded script, and the log of events.
import { makeDevice } from "./device.js";
import { make } from "./dom.js";
import { makeList } from "./list.js";
import { expect, makeRecorder } from "./recorder.js";
import { connect, observe, store } from "./store.js";
import { makeTraces } from "./trace.js";

const LOG_LIMIT = 200;

function alertUser(message) {
  const element = document.getElementById("alert");
  element.hidden = false;
  element.replaceChildren(make("span", {}, message), " ",
    make("button", { type: "button", onclick: () => { element.hidden = true; } }, "Dismiss"));
}

const updateList = makeList(document.getElementById("list"), alertUser);
const updateDevice = makeDevice(document.getElementById("main"), alertUser);
const recorder = makeRecorder(document.getElementById("recorder"), alertUser);
const updateTraces = makeTraces(document.getElementById("timeline"), alertUser);

/** The shortest time between two additions to the log, in milliseconds: each costs a layout of the page. */
const LOG_PAUSE = 250;

/** The log: its lines are added a few times a second, and it is not read aloud by itself. */
function makeLog(element) {
  const lines = make("div", { id: "lines", role: "log", "aria-live": "off", "aria-labelledby": "log-title", tabindex: "0" });
  let pending = [];
  let left = 0;
  let isPaused = false;
  let isScheduled = false;
  let isAtEnd = true;
  let flushed = -LOG_PAUSE;
  // The position is read after a layout, not before the next addition, which would need a layout of its own.
  lines.addEventListener("scroll", () => { isAtEnd = lines.scrollTop + lines.clientHeight >= lines.scrollHeight - 8; });
  const pause = make("button", { type: "button", id: "pause", "aria-pressed": "false", onclick: () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    if (!isPaused) flush();
  } }, "Pause");
  const clear = make("button", { type: "button", onclick: () => lines.replaceChildren() }, "Clear");
  element.append(make("h2", { id: "log-title" }, "Events"), make("div", { class: "buttons" }, pause, clear), lines);

  function line(event) {
    if (event.event === "missed") return make("div", { class: "event" }, `${event.count} events are missing here: they came too fast`);
    const changes = Object.entries(event.changes ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
    const parts = [event.type && event.event !== event.type ? event.type : "", event.report ?? "", event.bytes ?? "", changes,
      event.answer ? `answer: ${event.answer}` : "", event.message ?? "", event.client ? `by ${event.client}` : ""];
    const item = make("div", { class: "event" }, make("time", {}, (event.time / 1e6).toFixed(3)), " ", make("b", {}, event.event), " ",
      store.devices.size > 1 ? `${event.device} ` : "", parts.filter((part) => part !== "").join(" "));
    if (["output", "set", "get"].includes(event.event)) {
      item.append(" ", make("button", { type: "button", class: "expect", onclick: () => expect(event) }, "Expect"));
    }
    return item;
  }

  function flush() {
    isScheduled = false;
    if (isPaused || pending.length === 0) return;
    left += Math.max(0, pending.length - LOG_LIMIT);
    if (left > 0) lines.append(make("div", { class: "event" }, `${left} events are not shown here: they came too fast, or while the log was paused`));
    lines.append(...pending.slice(-LOG_LIMIT).map(line));
    pending = [];
    left = 0;
    while (lines.childElementCount > LOG_LIMIT) lines.firstElementChild.remove();
    if (isAtEnd) lines.scrollTop = lines.scrollHeight;
    flushed = performance.now();
  }

  return (event) => {
    pending.push(event);
    if (pending.length > 2 * LOG_LIMIT) left += pending.splice(0, LOG_LIMIT).length;
    if (!isScheduled) {
      isScheduled = true;
      setTimeout(() => requestAnimationFrame(flush), Math.max(0, flushed + LOG_PAUSE - performance.now()));
    }
  };
}

const log = makeLog(document.getElementById("log"));

observe((change) => {
  if (change.kind === "connection") {
    document.getElementById("bus").textContent = store.bus ? `${store.bus} bus` : "";
    document.getElementById("readonly").hidden = !store.readOnly;
    document.getElementById("connection").textContent = store.connected
      ? "connected" : store.isReplaced
        ? "not connected: hidsim was started again; open the link that it has printed" : "not connected: hidsim has ended, or cannot be reached";
    document.body.classList.toggle("disconnected", !store.connected);
    recorder.update();
  }
  if (change.kind === "list") updateList();
  if (change.kind === "event") log(change.event);
  updateDevice(change);
  updateTraces(change);
});
window.addEventListener("hashchange", updateList);
connect();
