const START_MS = Date.now();
const MINUTE_MS = 60_000;

/** A moment so many minutes before the start. */
export const ago = (minutes: number): string =>
  new Date(START_MS - minutes * MINUTE_MS).toISOString();

/** A moment so many minutes after the start. */
export const ahead = (minutes: number): string => ago(-minutes);
