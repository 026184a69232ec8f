// The timeline of the bench: the events of this run as they happen, or those of a trace, or of two.
import { fill, make, route } from "./dom.js";
import { makeSerial } from "./serial.js";
import { command, descriptor, scriptCommand, store } from "./store.js";
import { differenceList, makeTimeline } from "./timeline.js";

/** The number of latest events of this run that the timeline keeps at least. */
const LIVE_LIMIT = 20_000;
/** The largest number of reports that a replay sends by one command. */
const BATCH = 256;

/** Makes the view; `update(change)` follows the store. */
export function makeTraces(element, alertUser) {
  let isLive = true;
  let hasBegun = false;
  let trace = null;
  let replay = null;
  // The requests of replays: a release must not overtake the reports before it.
  const serial = makeSerial();
  const holder = make("div", {});
  const timeline = makeTimeline(holder, { limit: LIVE_LIMIT, name: "bench" });
  const state = make("p", { class: "shown-trace", role: "status" });
  const differences = make("ol", { class: "differences", hidden: true, "aria-label": "Differences" });
  const picker = (label, id, take) => {
    const input = make("input", { type: "file", id, class: "visually-hidden", onchange: () => {
      const file = input.files[0];
      input.value = "";
      if (file) take(file);
    } });
    return [input, make("label", { for: id, class: "button" }, label)];
  };
  const live = make("button", { type: "button", id: "live", "aria-pressed": "true", onclick: () => showLive() }, "This run");
  const target = make("select", { id: "replay-on" });
  const send = make("button", { type: "button", id: "replay-send", onclick: () => (replay ? stopReplay() : beginReplay()) }, "Send from here");
  const sent = make("span", { class: "note", role: "status" });
  const replayBar = make("div", { class: "line", hidden: true }, make("label", { for: "replay-on" }, "Replay on"), target, send, sent);
  const parts = [
    make("h1", {}, "Timeline"),
    make("div", { class: "buttons" }, live, ...picker("Open a trace …", "open-trace", open), ...picker("Compare with …", "compare-trace", compare)),
    state, replayBar, differences, holder];

  /** Adds the device of an event, with its elements, when its first event comes or it is plugged anew. */
  async function addDevice(event) {
    if (timeline.hasDevice(event.device) && event.event !== "plugged") return;
    const time = timeline.hasDevice(event.device) ? event.time : -Infinity;
    // Until they are read, its elements are not known, also if it has the label of a removed device.
    timeline.addDevice(event.device, null, time);
    const found = await descriptor(event.device).catch(() => null);
    if (!found) return;
    timeline.addDevice(event.device, found, time);
    timeline.update();
  }

  function showLive() {
    stopReplay();
    isLive = true;
    hasBegun = true;
    live.setAttribute("aria-pressed", "true");
    replayBar.hidden = true;
    differences.hidden = true;
    state.textContent = "the events of this run";
    timeline.load({ devices: [], events: store.events.slice(), before: store.earlier, after: 0, initial: store.initial });
    for (const event of store.events) if (event.device) addDevice(event);
    timeline.follow();
  }

  async function post(path, body) {
    const response = await fetch(path, { method: "POST", body });
    if (!response.ok) throw new Error((await response.text()).trim());
    return response.json();
  }

  function showTrace(found, words) {
    stopReplay();
    isLive = false;
    live.setAttribute("aria-pressed", "false");
    state.textContent = words;
    timeline.load(found.timeline);
    differences.hidden = !found.differences;
    fill(differences, ...differenceList(found.differences ?? [], timeline));
    showTargets();
  }

  async function open(file) {
    try {
      const found = await post(`trace?name=${encodeURIComponent(file.name)}`, file);
      trace = file;
      location.hash = "#!timeline";
      showTrace(found, `${file.name}: ${found.format}`);
    } catch (error) {
      alertUser(`${file.name}: ${error.message}`);
    }
  }

  async function compare(file) {
    if (!trace) return alertUser("Open a trace first, and then compare another one with it.");
    try {
      const query = new URLSearchParams({ split: trace.size, first: trace.name, second: file.name });
      const found = await post(`compare?${query}`, new Blob([trace, file]));
      const more = found.count > found.differences.length ? `; the first ${found.differences.length} are listed` : "";
      showTrace(found, `${trace.name} and ${file.name}: ${found.count} ${found.count === 1 ? "difference" : "differences"}${more}`);
    } catch (error) {
      alertUser(error.message);
    }
  }

  // MARK: Replay on a simulated device

  function showTargets() {
    const labels = [...store.devices.values()].flatMap((device) => device.interfaces.map((one) => one.device));
    replayBar.hidden = isLive || store.readOnly || labels.length === 0;
    const before = target.value;
    fill(target, ...labels.map((label) => make("option", { value: label, selected: label === before }, label)));
  }

  function endReplay() {
    if (replay) clearTimeout(replay.timer);
    replay = null;
    sent.textContent = "";
    send.textContent = "Send from here";
  }

  /**
   * Sends input reports of the trace from the selected event on, at the times that they have.
   *
   * They are those of one device: that of the selected event, else of the first input report.
   */
  function beginReplay() {
    const all = timeline.eventsFrom(timeline.selected).filter((event) => event.event === "input");
    const device = timeline.selected?.device ?? all[0]?.device;
    const inputs = all.filter((event) => event.device === device);
    if (inputs.length === 0) return alertUser("There is no input report of this device from here on.");
    const mine = { label: target.value, timer: 0, next: 0 };
    replay = mine;
    send.textContent = "Stop";
    sent.textContent = `sends the reports of ${device}`;
    const begun = performance.now();
    const start = inputs[0].time;
    const tick = () => serial(async () => {
      if (replay !== mine) return;
      const now = start + (performance.now() - begun) * 1000;
      const due = [];
      while (mine.next < inputs.length && due.length < BATCH && inputs[mine.next].time <= now) due.push(inputs[mine.next++]);
      if (due.length > 0) {
        timeline.select(due.at(-1));
        try {
          await command(scriptCommand(mine.label, ...due.map((event) => `report ${event.bytes}`)));
        } catch (error) {
          alertUser(error.message);
          if (replay === mine) endReplay();
          return;
        }
      }
      if (replay !== mine) return;
      if (mine.next >= inputs.length) return endReplay();
      mine.timer = setTimeout(tick, Math.max(0, (inputs[mine.next].time - now) / 1000));
    });
    tick();
  }

  /** Stops a running replay in the middle, and releases all that is pressed on its device. */
  function stopReplay() {
    if (!replay) return;
    const { label } = replay;
    endReplay();
    serial(() => command(scriptCommand(label, "release")).catch((error) => alertUser(error.message)));
  }

  // MARK: Files that are dropped on the page

  document.addEventListener("dragover", (event) => {
    if ([...event.dataTransfer.types].includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    open(file);
  });

  function show() {
    const isShown = route().view === "timeline";
    document.body.classList.toggle("timeline-view", isShown);
    element.hidden = !isShown;
    if (isShown !== element.hasChildNodes()) fill(element, ...(isShown ? parts : []));
    for (const link of document.querySelectorAll("#views a")) {
      if ((link.hash === "#!timeline") === isShown) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    if (!isShown) return;
    if (isLive && !hasBegun) showLive();
    timeline.draw();
  }
  window.addEventListener("hashchange", () => {
    show();
    if (route().view === "timeline") element.focus();
  });
  show();

  return (change) => {
    if (change.kind === "list") showTargets();
    // Events are missing: the timeline begins anew with the values of now.
    if (change.kind === "reset" && isLive && hasBegun) return showLive();
    if (change.kind !== "event" || !isLive || !hasBegun || change.event.event === "missed") return;
    if (change.event.device) addDevice(change.event);
    timeline.add(change.event);
  };
}
