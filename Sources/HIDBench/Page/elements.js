// The names of elements, in scripts and on the page, and the usage page of keys.
import { word } from "./dom.js";

/** The usage page of keys. */
export const KEYBOARD = 0x07;

/** The word by which a script names an element. */
export function scriptName(element) {
  if (element.ownName) return word(element.ownName);
  if (element.alias && !element.name.includes("#")) return word(element.alias);
  return word(element.name);
}

export function title(element) {
  const number = element.name.match(/#\d+$/)?.[0] ?? "";
  const text = element.ownName ?? element.title ?? element.name;
  return element.ownName ? text : `${text}${number}`;
}

