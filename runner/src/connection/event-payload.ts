import { MAX_EVENT_PAYLOAD_BYTES } from '@switchyard/shared/protocol/limits';

export type Payload = Record<string, unknown>;

const encoder = new TextEncoder();

export function jsonBytes(json: string): number {
  return encoder.encode(json).length;
}

/** Longest strings first: keeps `keepChars` split over head and tail of every longer string. */
function shorten(value: unknown, keepChars: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= keepChars) return value;
    const head = value.slice(0, Math.ceil(keepChars * 0.6));
    const tail = value.slice(value.length - Math.floor(keepChars * 0.4));
    return `${head}\n… ${value.length - keepChars} characters cut …\n${tail}`;
  }
  if (Array.isArray(value)) return value.slice(0, 256).map((item) => shorten(item, keepChars));
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).slice(0, 256);
    return Object.fromEntries(entries.map(([key, item]) => [key, shorten(item, keepChars)]));
  }
  return value;
}

/** `__proto__` would be dropped by a parser on the way and break the digest of both halves. */
function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/**
 * The payload as JSON that survives the wire unchanged, at most MAX_EVENT_PAYLOAD_BYTES. A larger
 * one keeps head and tail of its long strings and says `truncated: true`.
 */
export function encodePayload(payload: Payload): string {
  const json = JSON.stringify(JSON.parse(JSON.stringify(payload), withoutProto));
  if (jsonBytes(json) <= MAX_EVENT_PAYLOAD_BYTES) return json;
  for (let keepChars = 16_384; keepChars >= 64; keepChars = Math.floor(keepChars / 2)) {
    const cut = JSON.stringify({ ...(shorten(JSON.parse(json), keepChars) as Payload), truncated: true });
    if (jsonBytes(cut) <= MAX_EVENT_PAYLOAD_BYTES) return cut;
  }
  return JSON.stringify({ truncated: true });
}
