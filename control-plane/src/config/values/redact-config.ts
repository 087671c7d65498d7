import { isSecretReference } from '@switchyard/shared/settings/secret-reference';
import { type JsonObject, isJsonObject } from './json-object.ts';

/** Replaces a literal secret wherever a configuration is shown. */
const REDACTED = '[redacted]';

const SECRET_BEARING =
  /(apikey|accesskey|secretkey|privatekey|signingkey|token|secret|password|passphrase|credential|credentials|authorization|cookie|webhookurl|dsn)$/;
/** This setting is this service's public address: its name looks like a secret, but it is none. */
const PUBLIC_PATH = /^webhook\.(webhookurl)$/;

/** Whether the value at a path (in any spelling) must not be shown. */
export function isSecretPath(path: readonly string[]): boolean {
  const segments = path.flatMap((key) => key.split('.')).map(plainName);
  const last = segments.at(-1) ?? '';
  return SECRET_BEARING.test(last) && !PUBLIC_PATH.test(segments.join('.'));
}

/** A copy that is safe to show: `$SECRET:NAME` stays, literals of secret settings are replaced. */
export function redactConfig<Value>(config: Value): Value {
  return redact(config, []) as Value;
}

/**
 * Restores stored values that a client returned as shown: `[redacted]` keeps the stored literal,
 * and a text with a removed secret keeps the stored text. List items are matched by name, else by
 * position.
 */
export function restoreRedacted(given: unknown, stored: unknown): unknown {
  if (given === REDACTED) return stored === undefined ? given : stored;
  if (typeof given === 'string') return wasShownAs(given, stored) ? stored : given;
  if (Array.isArray(given)) {
    const before: unknown[] = Array.isArray(stored) ? stored : [];
    return given.map((item, index) => restoreRedacted(item, counterpart(item, index, before)));
  }
  if (!isJsonObject(given)) return given;
  const before: JsonObject = isJsonObject(stored) ? stored : {};
  const pairs = Object.entries(given).map(([key, value]) => {
    const previous = Object.hasOwn(before, key) ? before[key] : undefined;
    return [key, restoreRedacted(value, previous)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Whether a text is the stored one with secrets removed. */
function wasShownAs(given: string, stored: unknown): boolean {
  const [first = '', ...others] = given.split(REDACTED);
  const last = others.pop();
  if (typeof stored !== 'string' || last === undefined || !stored.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = stored.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return stored.length - last.length >= at && stored.endsWith(last);
}

/** Path of the first placeholder for a secret in a value; null when there is none. */
export function findPlaceholder(value: unknown, path: readonly string[] = []): string | null {
  if (value === REDACTED) return path.join('.');
  if (Array.isArray(value) || isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const found = findPlaceholder(inner, [...path, key]);
      if (found !== null) return found;
    }
  }
  return null;
}

function counterpart(item: unknown, index: number, before: readonly unknown[]): unknown {
  const name = isJsonObject(item) ? item['name'] : undefined;
  if (name === undefined) return before[index];
  return before.find((other) => isJsonObject(other) && other['name'] === name);
}

function redact(value: unknown, path: readonly string[]): unknown {
  if (isSecretPath(path) && hidesSomething(value)) return REDACTED;
  if (typeof value === 'string') return holdsPassword(value) ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => redact(item, [...path, '']));
  if (!isJsonObject(value)) return value;
  const pairs = Object.entries(value).map(([key, inner]) => [key, redact(inner, [...path, key])]);
  return Object.fromEntries(pairs);
}

function hidesSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || isSecretReference(value))
    return false;
  return typeof value !== 'boolean';
}

/** Whether a text is an address with a password in it. */
function holdsPassword(text: string): boolean {
  const mayHold = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(text) && URL.canParse(text);
  return mayHold && new URL(text).password !== '';
}

function plainName(key: string): string {
  return key.replace(/[_-]/g, '').toLowerCase();
}
