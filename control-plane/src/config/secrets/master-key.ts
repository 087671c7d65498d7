import { toHex } from '@switchyard/shared/text/to-hex';
import type { MasterKey } from './master-keys.ts';

const KEY_BYTES = 32;
const ID_LABEL = 'switchyard master key id';
const ID_CHARACTERS = 16;

/** 32 bytes given as 64 hex digits or as base64 (either alphabet); null for anything else. */
export function parseMasterKey(text: string): Uint8Array<ArrayBuffer> | null {
  const given = text.trim();
  if (/^[0-9a-f]{64}$/i.test(given)) {
    const pairs = given.match(/../g) ?? [];
    return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
  }
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(given)) return null;
  const standard = given.replaceAll('-', '+').replaceAll('_', '/').padEnd(44, '=');
  const bytes = Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
  return bytes.length === KEY_BYTES ? bytes : null;
}

/** Creates a new key as base64. */
export function makeMasterKeyText(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(KEY_BYTES))));
}

/** Imports a key for use; its bytes can no longer be extracted. */
export async function importMasterKey(bytes: Uint8Array<ArrayBuffer>): Promise<MasterKey> {
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  return { id: await keyId(bytes), key };
}

async function keyId(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign']);
  const tag = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(ID_LABEL));
  return toHex(tag).slice(0, ID_CHARACTERS);
}
