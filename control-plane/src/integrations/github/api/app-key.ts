import { importPKCS8 } from 'jose';
import type { WebCryptoKey } from '../../../web-crypto-key.ts';

/** DER of `SEQUENCE { OID rsaEncryption, NULL }`. */
const RSA_ALGORITHM = [48, 13, 6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 5, 0];
const VERSION = [2, 1, 0];

/**
 * Imports an App's private key from PEM. GitHub issues PKCS#1 keys, which are wrapped into the
 * PKCS#8 that WebCrypto reads. Throws when the text is no such key.
 */
export async function appKey(pem: string): Promise<WebCryptoKey> {
  // Environment variables often hold line breaks as two characters.
  const text = pem.replaceAll(String.raw`\n`, '\n').trim();
  const pkcs1 = /-----BEGIN RSA PRIVATE KEY-----([\s\S]+?)-----END RSA PRIVATE KEY-----/.exec(text);
  return importPKCS8(pkcs1?.[1] === undefined ? text : wrapped(pkcs1[1]), 'RS256');
}

function wrapped(base64: string): string {
  const inner = Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0));
  const octets = [4, ...derLength(inner.length), ...inner];
  const content = [...VERSION, ...RSA_ALGORITHM, ...octets];
  const der = Uint8Array.from([48, ...derLength(content.length), ...content]);
  const body = btoa(Array.from(der, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
}

function derLength(length: number): number[] {
  if (length < 128) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [128 + bytes.length, ...bytes];
}
