// Writes down what is done as a script: commands of the page, waits between them, and expected events of hosts.
import { make, word } from "./dom.js";
import { command, store } from "./store.js";

/** Pauses below this are not written, in milliseconds. */
const SHORTEST_WAIT = 300;

const recording = { on: true, lines: [], last: 0, device: null };
let view = null;
let alertUser = () => {};

/** Returns the script. */
export function script() {
  return recording.lines.map((line) => `${line}\n`).join("");
}

function add(device, lines, begun = performance.now()) {
  if (!recording.on) return;
  if (recording.lines.length === 0) {
    recording.device = null;
  } else if (begun - recording.last >= SHORTEST_WAIT) {
    recording.lines.push(`wait ${Math.round((begun - recording.last) / 100) * 100}ms`);
  }
  recording.last = performance.now();
  if (device !== recording.device && store.devices.size > 1) recording.lines.push(`device ${word(device)}`);
  recording.device = device;
  for (const line of lines) {
    const key = line.startsWith("release ") ? line.slice("release ".length) : null;
    if (key && recording.lines.at(-1) === `press ${key}`) recording.lines[recording.lines.length - 1] = `tap ${key}`;
    else recording.lines.push(line);
  }
  view?.update();
}

/** Carries out lines of a script on a device or interface, and writes them down if they succeed. */
export async function perform(device, ...lines) {
  const begun = performance.now();
  const results = await command({ command: "script", device, text: lines.join("\n") });
  add(device, lines, begun);
  return results;
}

/** Writes down that an event of a host is expected. */
export function expect(event) {
  const id = event.report === null || event.report === undefined ? "" : ` ${event.report}`;
  const bytes = event.bytes && event.event !== "get" ? ` bytes ${event.bytes}` : "";
  const type = event.event === "output" ? "" : ` ${event.type}`;
  add(event.device, [`expect event ${event.event}${type}${id}${bytes} within 1s`], recording.last);
}

export function makeRecorder(element, alert) {
  alertUser = alert;
  const text = make("textarea", { id: "script", rows: 12, spellcheck: "false", "aria-label": "Script",
    oninput: () => { recording.lines = text.value.split("\n").filter((line) => line !== ""); } });
  const toggle = make("button", { type: "button", id: "record", "aria-pressed": "true", onclick: () => {
    recording.on = !recording.on;
    toggle.setAttribute("aria-pressed", String(recording.on));
  } }, "Record");
  const clear = make("button", { type: "button", onclick: () => {
    recording.lines = [];
    recording.device = null;
    view.update();
  } }, "Clear");
  const copy = make("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(text.value).catch(() => text.select());
  } }, "Copy");
  const save = make("button", { type: "button", onclick: () => {
    const url = URL.createObjectURL(new Blob([text.value], { type: "text/plain" }));
    make("a", { href: url, download: "recorded.hidscript" }).click();
    URL.revokeObjectURL(url);
  } }, "Save");
  const play = make("button", { type: "button", id: "play", onclick: async () => {
    play.disabled = true;
    try {
      await command({ command: "script", text: text.value });
    } catch (error) {
      alertUser(error.message);
    } finally {
      play.disabled = false;
    }
  } }, "Play");
  element.append(make("h2", { id: "recorder-title" }, "Script"),
    make("div", { class: "buttons" }, toggle, play, copy, save, clear), text,
    make("p", {}, make("small", {}, "hidsim test plays the saved file, with a line \"needs FILE\" in front.")));
  view = {
    update() {
      text.value = script();
      text.scrollTop = text.scrollHeight;
      play.disabled = store.readOnly;
    },
  };
  return view;
}
