import { bytesToHex } from '@noble/hashes/utils.js';

/** Lower-case hex, two digits for each byte. */
export function toHex(bytes: ArrayBuffer | Uint8Array): string {
  return bytesToHex(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
}
