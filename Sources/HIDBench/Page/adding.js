// Adding a device of one's own: a report descriptor that is checked while it is typed.
import { address, fill, hex4, make } from "./dom.js";
import { readJSON } from "./serial.js";
import { command, refresh } from "./store.js";

/** The time without typing after which the text is checked, in milliseconds. */
const PAUSE = 250;

/** Plugs a device that a definition describes, and shows it. */
export async function plugDefinition(definition) {
  const [result] = await command({ command: "plug", definition });
  await refresh();
  location.hash = address(result.devices[0].device);
}

/** Returns the position of a line and a column in a text; columns count characters from 1. */
function position(text, line, column) {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return start + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
}

/** Makes the form. */
export function makeAdding(alertUser) {
  let checked = null;
  let timer = null;
  let latest = 0;
  const text = make("textarea", { id: "descriptor", rows: 6, spellcheck: "false", placeholder: "05 01 09 06 a1 01 … c0", oninput: () => {
    checked = null;
    plug.disabled = true;
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  } });
  const name = make("input", { type: "text", id: "own-name", value: "my device" });
  const vendor = make("input", { type: "text", id: "own-vendor", value: "1209", pattern: "[0-9a-fA-F]{1,4}", "aria-label": "Vendor ID, in hex" });
  const product = make("input", { type: "text", id: "own-product", value: "0001", pattern: "[0-9a-fA-F]{1,4}", "aria-label": "Product ID, in hex" });
  const findings = make("ul", { class: "findings", id: "findings" });
  const summary = make("p", { role: "status", id: "descriptor-state" }, "Paste a report descriptor: hex, C, or the output of a tool.");
  const plug = make("button", { type: "submit", disabled: true }, "Plug this device");

  function mark(line, column) {
    const start = position(text.value, line, column);
    const end = text.value.slice(start).search(/[\s,]/);
    text.focus();
    text.setSelectionRange(start, end < 0 ? text.value.length : start + Math.max(1, end));
  }

  function item(severity, words, place, line, column) {
    return make("li", { class: severity }, make("b", {}, severity), " ", line
      ? make("button", { type: "button", onclick: () => mark(line, column) }, place) : place, ` ${words}`);
  }

  async function check() {
    latest += 1;
    const mine = latest;
    if (text.value.trim() === "") {
      summary.textContent = "";
      return fill(findings);
    }
    const found = await readJSON("lint", { method: "POST", body: text.value });
    if (mine !== latest || !found) return;
    checked = found.bytes ? found : null;
    plug.disabled = !checked;
    if (!checked) {
      summary.textContent = "This is not a report descriptor yet.";
      return fill(findings, item("error", [found.message, found.help].filter(Boolean).join("; "),
        `line ${found.line}, column ${found.column}:`, found.line, found.column));
    }
    const reports = found.reports.map((report) => `${report.type}${report.report === null ? "" : ` ${report.report}`} of ${report.byteCount} bytes`);
    summary.textContent = `${found.kind ?? "No known kind"}: ${found.byteCount} bytes; ${reports.length > 0 ? reports.join(", ") : "no report"}`;
    fill(findings, ...found.findings.map((one) => item(one.severity, [one.explanation, one.fix ? `fix: ${one.fix}` : ""].filter(Boolean).join("; "),
      one.offset === null ? "" : `byte ${one.offset}:`, one.line, one.column)));
  }

  return make("details", { id: "own-device" }, make("summary", {}, "From a report descriptor"),
    make("form", { onsubmit: async (event) => {
      event.preventDefault();
      if (!checked) return;
      try {
        await plugDefinition({
          hidsim: 1, name: name.value, vendorID: `0x${hex4(parseInt(vendor.value, 16))}`, productID: `0x${hex4(parseInt(product.value, 16))}`,
          reportDescriptor: [{ hex: checked.bytes }],
        });
      } catch (error) {
        alertUser(error.message);
      }
    } }, make("label", { for: "descriptor" }, "Report descriptor"), text, summary, findings,
    make("label", { for: "own-name" }, "Name"), name, make("div", { class: "ids" }, vendor, ":", product), plug));
}
