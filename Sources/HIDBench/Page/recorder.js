// Records commands of the page, the waits between them, and expected events of hosts, as a script or as a test.
import { make, word } from "./dom.js";
import { command, fileOf, labelOfDevice, scriptCommand, store } from "./store.js";

/** Pauses below this are not written, in milliseconds. */
const SHORTEST_WAIT = 300;

/** The lines, each with the label of its device or interface. */
let lines = [];
let isOn = true;
let last = 0;
let isPlaying = false;
let view = null;

/** Returns the labels of the devices of the lines, in their order. */
function labels() {
  return [...new Set(lines.map((line) => line.label).filter(Boolean).map(labelOfDevice))];
}

/** Returns the word by which a script selects a device or interface: "keys#1" if there is also a "keys#2". */
function target(label) {
  const isFirst = [...store.devices.keys()].some((one) => one.startsWith(`${label}#`) && /^\d+$/.test(one.slice(label.length + 1)));
  return word(isFirst ? `${label}#1` : label);
}

/** Returns the lines as a script; unless it is played, it begins with the files of the devices that it needs. */
function asScript(isPlayed = false) {
  const all = labels();
  const files = all.map(fileOf);
  const text = [];
  if (!isPlayed && files.length > 0 && files.every(Boolean)) text.push(`needs ${files.map(word).join(" ")}`);
  for (const label of all.filter((one) => !isPlayed && !fileOf(one))) text.push(`# needs the file of ${JSON.stringify(label)}`);
  let selected = null;
  for (const { label, line } of lines) {
    if (label && label !== selected && (isPlayed || all.length > 1 || label !== labelOfDevice(label))) {
      text.push(`device ${target(label)}`);
    }
    if (label) selected = label;
    text.push(line);
  }
  return text.map((line) => `${line}\n`).join("");
}

/** Words that cannot name a variable in a test in Python or Swift. */
const RESERVED = new Set(("and as assert async await break case catch class continue def default defer del do elif else enum except "
  + "extension false finally for from func global guard if import in init inout internal is lambda let nonlocal not operator or pass "
  + "private protocol public raise repeat return self static struct subscript super switch throw throws true try typealias var where "
  + "while with yield hidsim_device").split(" "));

/** Returns a name of a variable for each device. */
function variables(join) {
  const names = new Map();
  for (const label of labels()) {
    const parts = label.replace(/[^A-Za-z0-9]+/g, " ").trim().split(" ");
    let name = join(parts.filter((part) => !/^\d/.test(part))) || "device";
    if (RESERVED.has(name)) name += "1";
    while ([...names.values()].includes(name)) name += "2";
    names.set(label, name);
  }
  return names;
}

/** Returns the result of `write(variable, line)` for each line; a line for one interface selects it first. */
function calls(names, write) {
  const first = labels()[0];
  return lines.map(({ label, line }) => {
    const device = label ? labelOfDevice(label) : first;
    const text = label && label !== device ? `device ${word(label)}\n${line}` : line;
    return write(names.get(device) ?? "device", JSON.stringify(text));
  });
}

function asPytest() {
  const names = variables((parts) => parts.join("_").toLowerCase());
  return ["def test_recorded(hidsim_device):",
    ...[...names].map(([label, name]) => `    ${name} = hidsim_device(${JSON.stringify(fileOf(label) ?? "FILE")})`),
    ...calls(names, (name, text) => `    ${name}.script(${text})`), ""].join("\n");
}

function asSwift() {
  const names = variables((parts) => parts.map((part, index) =>
    index === 0 ? part[0].toLowerCase() + part.slice(1) : part[0].toUpperCase() + part.slice(1)).join(""));
  const files = [...names.keys()].map((label) => JSON.stringify(fileOf(label) ?? "FILE")).join(", ");
  return ["import HIDTesting", "import Testing", "", `@Test("recorded", .virtualDevice(${files}))`,
    "func recorded() async throws {",
    ...[...names].map(([label, name]) => `  let ${name} = try HIDTestDevice.named(${JSON.stringify(label)})`),
    ...calls(names, (name, text) => `  try await ${name}.play(${text})`), "}", ""].join("\n");
}

const LANGUAGES = {
  script: { title: "Script", write: asScript, file: "recorded.hidscript" },
  pytest: { title: "pytest", write: asPytest, file: "test_recorded.py" },
  swift: { title: "Swift Testing", write: asSwift, file: "RecordedTests.swift" },
};

/** The largest number of lines: a session that is forgotten in a tab stays small. */
const LINE_LIMIT = 5000;

function add(label, added, begun) {
  if (lines.length >= LINE_LIMIT) return;
  if (lines.length > 0 && begun - last >= SHORTEST_WAIT) {
    lines.push({ label, line: `wait ${Math.round((begun - last) / 100) * 100}ms` });
  }
  last = performance.now();
  for (const line of added) {
    const key = line.startsWith("release ") ? line.slice("release ".length) : null;
    const before = lines.at(-1);
    if (key && before?.line === `press ${key}` && before.label === label) before.line = `tap ${key}`;
    else lines.push({ label, line });
  }
  view?.update();
}

/** Carries out lines of a script on a device or interface, and records them if they succeed while recording is on; throws the first error. */
export async function perform(label, ...added) {
  const begun = performance.now();
  const results = await command(scriptCommand(label, ...added));
  if (isOn) add(label, added, begun);
  return results;
}

/** Records that an event of a host is expected, also while recording is off. */
export function expect(event) {
  const id = event.report === null || event.report === undefined ? "" : ` ${event.report}`;
  const bytes = event.bytes && event.event !== "get" ? ` bytes ${event.bytes}` : "";
  const type = event.event === "output" ? "" : ` ${event.type}`;
  add(event.device, [`expect event ${event.event}${type}${id}${bytes} within 1s`], last);
}

export function makeRecorder(element, alertUser) {
  const language = make("select", { id: "language", onchange: () => view.update() },
    ...Object.entries(LANGUAGES).map(([value, { title }]) => make("option", { value }, title)));
  const text = make("textarea", { id: "script", rows: 14, spellcheck: "false", readonly: true, "aria-label": "What was done" });
  const toggle = make("button", { type: "button", id: "record", "aria-pressed": "true", onclick: () => {
    isOn = !isOn;
    toggle.setAttribute("aria-pressed", String(isOn));
  } }, "Record");
  const undo = make("button", { type: "button", onclick: () => {
    lines.pop();
    view.update();
  } }, "Remove last");
  const clear = make("button", { type: "button", onclick: () => {
    lines = [];
    view.update();
  } }, "Clear");
  const copy = make("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(text.value).catch(() => text.select());
  } }, "Copy");
  const save = make("button", { type: "button", onclick: () => {
    const url = URL.createObjectURL(new Blob([text.value], { type: "text/plain" }));
    make("a", { href: url, download: LANGUAGES[language.value].file }).click();
    URL.revokeObjectURL(url);
  } }, "Save");
  const play = make("button", { type: "button", id: "play", onclick: async () => {
    isPlaying = true;
    view.update();
    try {
      await command({ command: "script", text: asScript(true) });
    } catch (error) {
      alertUser(error.message);
    } finally {
      isPlaying = false;
      view.update();
    }
  } }, "Play");
  element.append(make("h2", { id: "recorder-title" }, "Recorded"),
    make("div", { class: "buttons" }, toggle, play, undo, clear), text,
    make("div", { class: "buttons" }, make("label", { for: "language" }, "Language"), language, copy, save));
  view = {
    update() {
      text.value = LANGUAGES[language.value].write();
      text.scrollTop = text.scrollHeight;
      play.disabled = store.readOnly || isPlaying || lines.length === 0;
    },
  };
  return view;
}
