type Place = 'localStorage' | 'sessionStorage';

/** The text that this browser, or this window, keeps under a key; null where it keeps none. */
export function readStored(key: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(key);
  } catch {
    return null;
  }
}

/** As `readStored`, for what was stored as JSON; anybody may have left something else there. */
export function readStoredJson(key: string, place?: Place): unknown {
  try {
    return JSON.parse(readStored(key, place) ?? 'null');
  } catch {
    return null;
  }
}

/** Keeps a text, or null to forget it. Where nothing can be kept, it lasts as long as the page. */
export function writeStored(key: string, text: string | null, place: Place = 'localStorage'): void {
  try {
    if (text === null) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, text);
  } catch {
    return;
  }
}
