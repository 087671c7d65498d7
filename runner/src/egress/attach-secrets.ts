import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';

/** A secret with its value, as the proxy holds it in memory. */
export type HeldSecret = WorkSecret & { value: string };

/** Would cut a secret in an answer in two, or hide it in one that is encoded. */
const DROPPED = ['range', 'if-range'];

/**
 * Headers of a request with secrets in them, whatever the container sent under the same names. The
 * answer is asked for as plain text, so that a secret in it can be found.
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

/** What a secret looks like where a host repeats it: as it is, in a header, in JSON, in an address. */
function shapesOf(secret: HeldSecret): string[] {
  const { value } = secret;
  const inHeader = secret.scheme === 'basic' ? [headerValue(secret).slice('Basic '.length)] : [];
  const quoted = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, ...inHeader, quoted, encodeURIComponent(value), base64(value)])];
}

/** The same text with stars in the place of every secret, and of the same length. */
export function hideInText(text: string, secrets: readonly HeldSecret[]): string {
  const bytes = Buffer.from(text, 'latin1');
  hideWhole(bytes, bytes, needlesOf(secrets));
  return bytes.toString('latin1');
}

/**
 * Passes bytes on with stars in the place of every secret, also of one that comes in pieces. Holds
 * back only what may be the beginning of one.
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

/** Streams that undo an encoding which a host used unasked; null for one that is not known. */
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

/** Looks in the one and writes into the other, so that what overlaps is found too. */
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

/** Length of the longest end that a needle begins with. */
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
