// The page of a report: its facts, its parts, and the timeline of each part that is open.
import { make } from "./dom.js";
import { differenceList, makeTimeline } from "./timeline.js";

/** Shows the data of a report in an element. */
export function showReport(element, report) {
  document.title = `${report.title}: ${report.summary}`;
  element.append(
    make("h1", {}, report.title), make("p", { class: "summary" }, report.summary),
    make("details", { class: "facts" }, make("summary", {}, "Environment"),
      make("dl", {}, ...report.environment.flatMap(([title, text]) => [make("dt", {}, title), make("dd", {}, text)]))));
  const hasOutcomes = report.parts.some((part) => part.outcome);
  if (hasOutcomes && report.parts.length > 1) {
    const onlyFailed = make("input", { type: "checkbox", id: "only-failed", onchange: () => {
      for (const [index, part] of report.parts.entries()) sections[index].hidden = onlyFailed.checked && ["passed", "skipped"].includes(part.outcome);
    } });
    element.append(make("p", {}, onlyFailed, " ", make("label", { for: "only-failed" }, "Show only what failed")));
  }
  const sections = report.parts.map((part, index) => section(part, index));
  element.append(...sections);
  if (sections.length === 0) element.append(make("p", {}, "There are no parts."));
  const first = report.parts.length === 1 ? 0 : report.parts.findIndex((part) => !part.outcome || !["passed", "skipped"].includes(part.outcome));
  if (first >= 0) sections[first].open = true;
}

function section(part, index) {
  const outcome = part.outcome ? make("span", { class: `outcome ${part.outcome}` }, part.outcome) : null;
  const time = part.duration === undefined || part.duration === null ? null : make("small", {}, `${(part.duration / 1000).toFixed(0)} ms`);
  const body = make("div", { class: "body" });
  const section = make("details", { class: "part", ontoggle: () => {
    if (section.open && body.childElementCount === 0) showPart(body, part, index);
  } }, make("summary", {}, make("h2", {}, outcome, outcome ? " " : null, part.title, " ", time)), body);
  return section;
}

function showPart(body, part, index) {
  for (const one of part.cases ?? []) {
    body.append(make("div", { class: "case" },
      make("h3", {}, make("span", { class: `outcome ${one.outcome}` }, one.outcome), " ", one.name, one.place ? make("small", {}, ` ${one.place}`) : null),
      one.message ? make("pre", { class: "message" }, one.message) : null));
  }
  if (part.message) body.append(make("pre", { class: "message" }, part.message));
  if (part.script) {
    const lines = part.script.split("\n");
    if (lines.at(-1) === "") lines.pop();
    body.append(make("details", { class: "script", open: Boolean(part.line) }, make("summary", {}, "Script"),
      make("ol", {}, ...lines.map((line, number) => make("li", { class: number + 1 === part.line ? "failed" : "", "aria-current": number + 1 === part.line ? "true" : null }, line || " ")))));
  }
  if (part.output) body.append(make("details", { open: !part.timeline }, make("summary", {}, "Output"), make("pre", {}, part.output)));
  if (part.again) body.append(make("p", {}, "Run it again: ", make("code", {}, part.again)));
  const holder = make("div", {});
  const timeline = makeTimeline(holder, { name: `part-${index}`, level: 4 });
  if (part.differences) {
    body.append(make("h3", {}, "Differences"), part.differences.length > 0
      ? make("ol", { class: "differences" }, ...differenceList(part.differences, timeline)) : make("p", {}, "none"));
  }
  body.append(make("h3", {}, "Timeline"));
  if (!part.timeline) return body.append(make("p", {}, "The report has no events of this part."));
  body.append(holder);
  timeline.load(part.timeline);
}

const data = document.getElementById("data");
if (data) showReport(document.getElementById("report"), JSON.parse(data.textContent));
