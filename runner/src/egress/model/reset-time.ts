import type { IncomingHttpHeaders } from 'node:http';
import { type JsonObject, listOf, objectOf, textOf } from './json-object.ts';

/** A reset further in the future is invalid. */
const MAX_AHEAD_MS = 366 * 24 * 60 * 60_000;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  sec: 1_000,
  min: 60_000,
  hr: 3_600_000,
};
const AMOUNT = /(\d+(?:\.\d+)?)\s*([a-z]+)/gi;
const AGAIN_IN = /(?:try again|retry)\s+(?:in|after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*)+)/i;

/**
 * When a refused request may be retried, epoch milliseconds: from the error's fields, from
 * `Retry-After`, from the headers of exhausted limits, else from the message. Null: not given.
 */
export function resetTime(
  headers: IncomingHttpHeaders,
  error: JsonObject | null,
  nowMs: number,
): number | null {
  const found =
    ofError(error, nowMs) ??
    afterMs(headers['retry-after-ms'], nowMs) ??
    moment(headerText(headers, 'retry-after'), nowMs) ??
    ofLimits(headers, nowMs) ??
    ofWords(textOf(error?.['message']), nowMs);
  if (found === null || found > nowMs + MAX_AHEAD_MS) return null;
  return Math.round(Math.max(found, nowMs));
}

function ofError(error: JsonObject | null, nowMs: number): number | null {
  if (error === null) return null;
  const inSeconds = error['resets_in_seconds'];
  const at = error['resets_at'];
  if (typeof at === 'number' || typeof at === 'string') return moment(String(at), nowMs);
  if (typeof inSeconds === 'number') return moment(String(inSeconds), nowMs);
  for (const one of listOf(error['details'])) {
    const detail = objectOf(one);
    const delay = moment(textOf(detail?.['retryDelay']), nowMs);
    if (delay !== null) return delay;
  }
  return null;
}

/**
 * Reset from headers `…ratelimit-<what>-reset` or `…ratelimit-reset-<what>`, each with its
 * remaining amount. A limit with something left did not cause the refusal.
 */
function ofLimits(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const resets = Object.keys(headers).flatMap((name) => {
    if (!/ratelimit-(?:[a-z0-9-]+-)?reset(?:-[a-z0-9-]+)?$/.test(name)) return [];
    const remaining = headerText(headers, name.replace('reset', 'remaining'));
    const status = headerText(headers, name.replace('reset', 'status'));
    if (remaining !== null && Number(remaining) > 0) return [];
    if (status !== null && status.startsWith('allowed')) return [];
    const at = moment(headerText(headers, name), nowMs);
    return at === null ? [] : [at];
  });
  return resets.length === 0 ? null : Math.max(...resets);
}

function ofWords(message: string | null, nowMs: number): number | null {
  const duration = AGAIN_IN.exec(message ?? '')?.[1];
  return duration === undefined ? null : afterDuration(duration, nowMs);
}

function headerText(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return textOf(Array.isArray(value) ? value[0] : value);
}

function afterMs(value: string | string[] | undefined, nowMs: number): number | null {
  const text = textOf(Array.isArray(value) ? value[0] : value);
  const delayMs = Number(text ?? Number.NaN);
  return Number.isFinite(delayMs) && delayMs >= 0 ? nowMs + delayMs : null;
}

/**
 * Parses seconds from now, a time in seconds or milliseconds, a duration such as `6m0s`, or a date.
 */
function moment(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (text === '') return null;
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= 1e12) return number;
    return number >= 1e9 ? number * 1_000 : nowMs + number * 1_000;
  }
  if (/^(?:\d+(?:\.\d+)?[a-z]+)+$/i.test(text)) return afterDuration(text, nowMs);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}

function afterDuration(text: string, nowMs: number): number | null {
  let delayMs = 0;
  let isKnown = false;
  for (const [, amount, unit = ''] of text.matchAll(AMOUNT)) {
    const name = unit.toLowerCase();
    const unitMs = UNIT_MS[name] ?? UNIT_MS[name.replace(/s$/, '')];
    if (unitMs === undefined) continue;
    isKnown = true;
    delayMs += Number(amount) * unitMs;
  }
  return isKnown ? nowMs + delayMs : null;
}
