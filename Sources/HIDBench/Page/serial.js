// Actions one after the other, and actions of which one at a time is enough.

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
