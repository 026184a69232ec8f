// Faults of the next request, with the line of a script and of a device file that each stands for; and unplugging the device.
import { make } from "./dom.js";
import { find, store } from "./store.js";

/** The delay of a late answer, in milliseconds. */
const LATE = 500;

function hexBytes(text) {
  return text ? text.split(" ") : [];
}

/**
 * Returns the faults of a request: [{text, line, file}].
 *
 * @param kind "get" or "set".
 * @param report The report, with its present bytes.
 */
function faultsOf(kind, report) {
  const id = report.report === null ? "" : ` ${report.report}`;
  const number = report.report === null ? "" : `, "id": ${report.report}`;
  const on = `"on": {"${kind}": "${report.type}"${number}}`;
  const once = `answer once ${kind} ${report.type}${id} with`;
  const faults = [
    { text: "Refuse", line: `${once} error`, file: `{${on}, "error": true}` },
    { text: "Never answer", line: `${once} none`, file: `{${on}, "none": true}` },
  ];
  // The answers of scripts have no ID; "exact" of device files is the whole answer.
  const whole = hexBytes(report.bytes);
  const bytes = report.report === null ? whole : whole.slice(1);
  if (kind === "set") {
    faults.push({ text: "Late", line: `${once} success after ${LATE}ms`, file: `{${on}, "delay": "${LATE}ms"}` });
  } else if (bytes.length > 0) {
    const half = bytes.length >> 1;
    faults.push({ text: "Late", line: `${once} ${bytes.join(" ")} after ${LATE}ms`, file: `{${on}, "delay": "${LATE}ms"}` });
    if (half > 0) {
      faults.push({ text: "Short", line: `${once} ${bytes.slice(0, half).join(" ")}`,
        file: `{${on}, "reply": "${whole.slice(0, whole.length - bytes.length + half).join(" ")}", "exact": true}` });
    }
  }
  return faults;
}

/** Makes the faults of an interface: those of the next request for each feature report, and buttons that unplug and plug the device. */
export function makeFaults(controls, one) {
  const asked = one.reports.filter((report) => report.type === "feature");
  const rows = asked.flatMap((report) => ["get", "set"].map((kind) => ({ report, kind })));
  const shown = make("code", { class: "fault-line" }, "Choose a fault: the next request has it, once.");
  const note = (fault) => { shown.textContent = `script: ${fault.line}\ndevice file: ${fault.file}`; };
  
  // The lines have the bytes that the report has when the button is pressed.
  const button = (kind, report, text) => {
    const made = make("button", { type: "button", disabled: store.readOnly, onclick: () => {
      const now = find(one.device)?.interface.reports.find((other) => other.type === report.type && other.report === report.report) ?? report;
      const fault = faultsOf(kind, now).find((other) => other.text === text);
      note(fault);
      controls.act(made, one.device, fault.line);
    } }, text);
    return made;
  };
  const out = make("button", { type: "button", disabled: store.readOnly, onclick: async () => {
    shown.textContent = "script: unplug";
    await controls.act(out, one.device, "unplug");
  } }, "Pull out");
  const back = make("button", { type: "button", disabled: store.readOnly, onclick: () => {
    shown.textContent = "script: plug";
    controls.act(back, one.device, "plug");
  } }, "Plug in again");
  return make("details", { class: "faults" }, make("summary", {}, "Faults"),
    ...rows.map(({ report, kind }) => make("div", { class: "wrap", role: "group", "aria-label": `Next ${kind} of feature${report.report === null ? "" : ` ${report.report}`}` },
      `next ${kind} of feature${report.report === null ? "" : ` ${report.report}`}: `, ...faultsOf(kind, report).map((fault) => button(kind, report, fault.text)))),
    make("div", { class: "wrap" }, "the device: ", out, back), shown);
}
