/** Addresses come from code hosts, trackers and engines: anything else stays text. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//.test(url);
}
