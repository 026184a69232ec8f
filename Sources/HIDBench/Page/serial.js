// Actions one after the other, actions of which one at a time is enough, and readings of a state.

/**
 * Makes a function that carries out actions one after the other, in the order of its calls.
 *
 * An action with a key replaces a waiting one with the same key if no other action came in between: of many movements
 * only the latest is carried out.
 *
 * An action that throws is reported as an error of the page, and the next one is carried out.
 */
export function makeSerial() {
  const waiting = [];
  let isBusy = false;
  return async (action, key = null) => {
    if (key !== null && waiting.at(-1)?.key === key) waiting.pop();
    waiting.push({ action, key });
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0) {
      try {
        await waiting.shift().action();
      } catch (error) {
        reportError(error);
      }
    }
    isBusy = false;
  };
}

/**
 * Makes a function that carries out an action; calls while it runs make it run once more, and no more than that.
 *
 * An action that throws is reported as an error of the page, and the next call carries it out again.
 *
 * @return A promise that is fulfilled when no call is left to be followed.
 */
export function makeRepeated(action) {
  let running = null;
  let isStale = false;
  return () => {
    isStale = true;
    running ??= (async () => {
      while (isStale) {
        isStale = false;
        try {
          await action();
        } catch (error) {
          reportError(error);
        }
      }
      running = null;
    })();
    return running;
  };
}

/**
 * Makes a function that reads a state of the bench as JSON and shows it, while the page is visible. It reads again after an
 * interval if `goesOn` says so. Calls while it runs make it read once more.
 *
 * @param path - The address of the state, relative to the page.
 * @param interval - The shortest time between two readings, in milliseconds.
 * @param show - Called with the state; null if the bench does not answer, or refuses.
 * @param goesOn - Called after that with the state; returns true to read again.
 */
export function makeReading(path, interval, show, goesOn) {
  const read = makeRepeated(async () => {
    while (document.visibilityState !== "visible") {
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    }
    const state = await readJSON(path);
    try {
      show(state);
    } finally {
      await new Promise((resolve) => setTimeout(resolve, interval));
      if (goesOn(state)) read();
    }
  });
  return read;
}

/** Reads JSON, with the options of `fetch`; null if the server refuses or has ended, or if its answer breaks off. */
export async function readJSON(path, options = {}) {
  try {
    const response = await fetch(path, options);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
