import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';

/** A secret with its value, kept in the proxy's memory. */
export type HeldSecret = WorkSecret & { value: string };

/** Range headers could split a secret in a response, an encoding could hide it. */
const DROPPED = ['range', 'if-range'];

/**
 * Headers of a request with the secrets added, replacing the container's own of the same names. The
 * response is requested unencoded, so that a secret in it can be found.
 */
export function attachSecrets(
  headers: NodeJS.Dict<number | string | string[]>,
  secrets: readonly HeldSecret[],
): NodeJS.Dict<number | string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.includes(name));
  const added = secrets.map((secret) => [secret.header.toLowerCase(), headerValue(secret)]);
  return Object.fromEntries([...kept, ['accept-encoding', 'identity'], ...added]);
}

function headerValue({ scheme, user, value }: HeldSecret): string {
  if (scheme === 'plain') return value;
  return scheme === 'bearer' ? `Bearer ${value}` : `Basic ${base64(`${user ?? ''}:${value}`)}`;
}

/** The forms in which a host may repeat a secret: as is, in a header, in JSON, in a url. */
function shapesOf(secret: HeldSecret): string[] {
  const { value } = secret;
  const inHeader = secret.scheme === 'basic' ? [headerValue(secret).slice('Basic '.length)] : [];
  const quoted = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, ...inHeader, quoted, encodeURIComponent(value), base64(value)])];
}

/** The text with every secret replaced by asterisks of the same length. */
export function hideInText(text: string, secrets: readonly HeldSecret[]): string {
  const bytes = Buffer.from(text, 'latin1');
  hideWhole(bytes, bytes, needlesOf(secrets));
  return bytes.toString('latin1');
}

/**
 * A stream that replaces every secret by asterisks, also one that is split across chunks. Holds
 * back only bytes that may begin a secret.
 */
export function hideSecrets(secrets: readonly HeldSecret[]): Transform {
  const needles = needlesOf(secrets);
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([held, chunk]);
      const shown = Buffer.from(bytes);
      hideWhole(bytes, shown, needles);
      const keep = openEnd(shown, needles);
      held = shown.subarray(shown.length - keep);
      done(null, shown.subarray(0, shown.length - keep));
    },
    flush(done) {
      done(null, held);
    },
  });
}

/** Streams that decode an encoding which a host used unrequested; null for an unknown one. */
export function decoderOf(encoding: string | undefined): Transform[] | null {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case '':
    case 'identity':
      return [];
    case 'gzip':
    case 'x-gzip':
      return [createGunzip()];
    case 'deflate':
      return [createInflate()];
    case 'br':
      return [createBrotliDecompress()];
    default:
      return null;
  }
}

function needlesOf(secrets: readonly HeldSecret[]): Buffer[] {
  return secrets.flatMap(shapesOf).map((text) => Buffer.from(text, 'latin1'));
}

/** Searches one buffer and writes into another, so that overlapping secrets are found as well. */
function hideWhole(bytes: Buffer, shown: Buffer, needles: readonly Buffer[]): void {
  const source = bytes === shown ? Buffer.from(bytes) : bytes;
  for (const needle of needles) {
    let at = source.indexOf(needle);
    while (at !== -1) {
      shown.fill('*', at, at + needle.length);
      at = source.indexOf(needle, at + 1);
    }
  }
}

/** Length of the longest suffix that begins a needle. */
function openEnd(bytes: Buffer, needles: readonly Buffer[]): number {
  let longest = 0;
  for (const needle of needles) {
    const from = Math.max(0, bytes.length - needle.length + 1);
    for (let at = bytes.indexOf(needle[0] ?? 0, from); at !== -1;) {
      const end = bytes.subarray(at);
      if (needle.subarray(0, end.length).equals(end)) {
        longest = Math.max(longest, end.length);
        break;
      }
      at = bytes.indexOf(needle[0] ?? 0, at + 1);
    }
  }
  return longest;
}

function base64(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}
