import { MAX_EVENT_PAYLOAD_BYTES } from '@switchyard/shared/protocol/limits';
import { cutText, textTail } from '@switchyard/shared/text/cut-text';
import { toJson } from '@switchyard/shared/text/well-formed-json';

export type Payload = Record<string, unknown>;

const encoder = new TextEncoder();

export function jsonBytes(json: string): number {
  return encoder.encode(json).length;
}

type Room = { chars: number; entries: number; depth: number };

/**
 * Cuts what exceeds the limits: strings in their middle, lists and objects at their end; what lies
 * deeper than `room.depth` becomes empty.
 */
function shorten(value: unknown, room: Room): unknown {
  if (typeof value === 'string') return shortenText(value, room.chars);
  if (value === null || typeof value !== 'object') return value;
  if (room.depth === 0) return Array.isArray(value) ? [] : {};
  const inner = { ...room, depth: room.depth - 1 };
  if (Array.isArray(value)) return value.slice(0, room.entries).map((item) => shorten(item, inner));
  const entries = Object.entries(value).slice(0, Math.max(room.entries, 16));
  return Object.fromEntries(entries.map(([key, item]) => [key, shorten(item, inner)]));
}

function shortenText(text: string, keepChars: number): string {
  if (text.length <= keepChars) return text;
  const head = cutText(text, Math.ceil(keepChars * 0.6));
  const tail = textTail(text, Math.floor(keepChars * 0.4));
  const leftOut = text.length - head.length - tail.length;
  return `${head}\n… ${leftOut} characters cut …\n${tail}`;
}

/** Drops `__proto__`, which a parser would drop later and so break the digest. */
function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/**
 * The payload as valid JSON that is not changed by transport, at most MAX_EVENT_PAYLOAD_BYTES. In a
 * larger one long strings keep beginning and end, and `truncated: true` is added.
 */
export function encodePayload(payload: Payload): string {
  // Parsed again, because two keys may become equal: what is hashed must be what is sent.
  const json = JSON.stringify(JSON.parse(toJson(payload), withoutProto));
  if (jsonBytes(json) <= MAX_EVENT_PAYLOAD_BYTES) return json;
  for (let chars = 16_384; chars >= 64; chars = Math.floor(chars / 2)) {
    const room = { chars, entries: Math.max(8, Math.floor(chars / 32)), depth: 8 };
    const cut = JSON.stringify({
      ...(shorten(JSON.parse(json), room) as Payload),
      truncated: true,
    });
    if (jsonBytes(cut) <= MAX_EVENT_PAYLOAD_BYTES) return cut;
  }
  return JSON.stringify({ truncated: true });
}
