type Place = 'localStorage' | 'sessionStorage';

/** The text stored under a key in this browser or this window; null where there is none. */
export function readStored(key: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(key);
  } catch {
    return null;
  }
}

/** The JSON value stored under a key; unvalidated, since anybody may have changed it. */
export function readStoredJson(key: string, place?: Place): unknown {
  try {
    return JSON.parse(readStored(key, place) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * Stores a text, or deletes it for null. Where storage is unavailable, nothing is stored, so a
 * value lasts only as long as its page.
 */
export function writeStored(key: string, text: string | null, place: Place = 'localStorage'): void {
  try {
    if (text === null) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, text);
  } catch {
    return;
  }
}
