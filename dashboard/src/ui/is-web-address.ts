/**
 * Whether an untrusted address of a code host, tracker or engine may become a link: only web
 * addresses.
 */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//.test(url);
}
