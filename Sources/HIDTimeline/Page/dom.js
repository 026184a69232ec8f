// Elements of a page, words of scripts, and addresses of views. Texts of devices become text nodes only, never markup.

/** Makes an element: `make("button", {type: "button", onclick: act}, "Press")`. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Replaces the children of an element, and keeps the focus if there is again an element with the ID of the focused one. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  if (focused) document.getElementById(focused)?.focus();
}

/** Returns a number with four hex digits at least. */
export function hex4(number) {
  return number.toString(16).padStart(4, "0");
}

/** Returns a text in double quotes, as scripts take it. */
export function quoted(text) {
  return `"${text.replace(/[\\"$]/g, (found) => (found === "$" ? "$$" : `\\${found}`)).replace(/\n/g, "\\n").replace(/\t/g, "\\t")}"`;
}

/** Returns a script's word for a name: in double quotes if it has characters that end a word. */
export function word(text) {
  return /^[A-Za-z0-9_.-][A-Za-z0-9_.#-]*$/.test(text) ? text : quoted(text);
}

/** Returns the view that the address of the page names: {view, name, part}. The view is "timeline" or "device"; the name is "" for none. */
export function route() {
  if (location.hash === "#!timeline") return { view: "timeline", name: "", part: new URLSearchParams() };
  const [name, query] = location.hash.slice(2).split("?");
  try {
    return { view: "device", name: decodeURIComponent(name), part: new URLSearchParams(query ?? "") };
  } catch {
    return { view: "device", name: "", part: new URLSearchParams() };
  }
}

/** Returns the label or the ID of the device that the address of the page names; "" for none. */
export function selected() {
  return route().name;
}

/** Returns the address of the view of a device, or of a part of it: {element: "input genericDesktop.x"}. */
export function address(name, part = {}) {
  const query = new URLSearchParams(part).toString();
  return `#/${encodeURIComponent(name)}${query ? `?${query}` : ""}`;
}
