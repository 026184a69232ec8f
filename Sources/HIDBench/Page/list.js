// The list of devices: the simulated ones and those of this machine, in groups.
import { makeAdding } from "./adding.js";
import { address, fill, hex4, make, selected } from "./dom.js";
import { command, refresh, store } from "./store.js";

let query = "";
let grouping = "kind";

/** Returns the entries that match the search in the groups of the chosen grouping: [{name, entries}], sorted by name, none empty. */
function groups() {
  const entries = [];
  for (const device of store.devices.values()) {
    const first = device.interfaces[0];
    const kinds = [...new Set(device.interfaces.map((one) => one.kind ?? "not plugged"))];
    entries.push({
      key: device.device, name: device.device, kinds, parent: "simulated here",
      ids: first?.vendorID === undefined ? "" : `${hex4(first.vendorID)}:${hex4(first.productID)}`,
      badge: device.plugged ? "simulated" : "unplugged",
    });
    if (device.interfaces.length < 2) continue;
    // The members of a composite have entries of their own beside it.
    for (const one of device.interfaces) {
      entries.push({
        key: one.device, name: one.device, kinds: [one.kind ?? "not plugged"], parent: device.device, isMember: true,
        ids: one.vendorID === undefined ? "" : `${hex4(one.vendorID)}:${hex4(one.productID)}`, badge: "member",
      });
    }
  }
  const own = new Set([...store.devices.values()].flatMap((device) => device.interfaces.map((one) => one.id)));
  for (const record of store.others.values()) {
    if (own.has(record.id)) continue;
    entries.push({
      key: record.id, name: record.name, kinds: [record.kind],
      parent: record.ours ? "simulated by another hidsim" : record.physicalPath.replace(/\/input\d+$/, "") || "no parent",
      ids: `${hex4(record.vendorID)}:${hex4(record.productID)}`, badge: record.ours ? "other hidsim" : "real",
    });
  }
  const wanted = query.trim().toLowerCase();
  const found = entries.filter((entry) =>
    !wanted || [entry.name, entry.ids, ...entry.kinds].some((text) => text.toLowerCase().includes(wanted)));
  const byName = new Map();
  for (const entry of found) {
    const name = grouping === "kind" ? entry.kinds[0] : entry.parent;
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push(entry);
  }
  return [...byName].map(([name, members]) => ({
    name, entries: members.sort((first, second) => first.name.localeCompare(second.name)),
  })).sort((first, second) => first.name.localeCompare(second.name));
}

export function makeList(element, alertUser) {
  const results = make("div", { id: "groups" });
  const count = make("p", { id: "count", role: "status" });
  const search = make("input", {
    type: "search", id: "search", placeholder: "name, kind or 1209:0001",
    oninput: (event) => { query = event.target.value; update(); },
  });
  const group = make("select", {
    id: "grouping", onchange: (event) => { grouping = event.target.value; if (selected()) location.hash = ""; update(); },
  }, make("option", { value: "kind" }, "kind"), make("option", { value: "parent" }, "parent"));
  const files = make("select", { id: "library" });
  const plug = async () => {
    try {
      const [result] = await command({ command: "plug", file: files.value });
      await refresh();
      for (const device of result.devices) store.files.set(device.device, files.value);
      location.hash = address(result.devices[0].device);
    } catch (error) {
      alertUser(error.message);
    }
  };
  const adding = make("form", { id: "adding", onsubmit: (event) => { event.preventDefault(); plug(); } },
    make("label", { for: "library" }, "Add a device"), files, make("button", { type: "submit" }, "Plug"));
  const own = makeAdding(alertUser);
  element.append(
    make("label", { for: "search" }, "Search"), search,
    make("label", { for: "grouping" }, "Group by"), group, count, results, adding, own);
  (async () => {
    const response = await fetch("library");
    if (!response.ok) return;
    const { files: names } = await response.json();
    files.append(...names.map((name) => make("option", { value: name }, name)));
  })();

  function update() {
    adding.hidden = store.readOnly;
    own.hidden = store.readOnly;
    const current = selected();
    const found = groups();
    const total = found.reduce((sum, group) => sum + group.entries.filter((entry) => !entry.isMember).length, 0);
    count.textContent = store.othersProblem
      ? `the devices of this machine are unknown: ${store.othersProblem}`
      : `${total} ${total === 1 ? "device" : "devices"}`;
    fill(results, ...found.map((group, index) => make("div", { class: "group", role: "group", "aria-labelledby": `group-${index}` },
      make("h2", { id: `group-${index}` }, group.name),
      make("ul", {}, ...group.entries.map((entry) => make("li", {},
        make("a", {
          id: `entry-${entry.key}`, href: address(entry.key),
          "aria-current": entry.key === current ? "page" : null,
        }, make("span", { class: "name" }, entry.name), " ",
        make("small", {}, `${entry.kinds.join(", ")} ${entry.ids}`), " ",
        make("span", { class: `badge ${entry.badge === "simulated" ? "simulated" : ""}` }, entry.badge))))))));
  }
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      update();
    });
  };
}
