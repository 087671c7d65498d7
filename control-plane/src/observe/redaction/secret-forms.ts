import { inertText } from '@switchyard/shared/text/inert-text';
import { parseJson } from '@switchyard/shared/text/parse-json';

/** Shorter values would also redact parts of ordinary words. */
export const MIN_SECRET_CHARS = 8;
/** Longer values are not sent in headers, where they would appear in base64. */
const MAX_BASE64_CHARS = 8_192;

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/u;
/** A scheme that may be stored together with the secret. */
const SCHEME = /^(Bearer|Basic) +/i;
const PEM_FRAME = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/;

type IsName = (name: string) => boolean;

/**
 * All forms in which a secret may appear in texts: as is, trimmed and without its scheme, in JSON
 * and in nested JSON, percent-encoded, in base64 at any offset, and without mentions. A secret with
 * line breaks also by line and joined; a JSON object also by its members with secret names. Forms
 * shorter than `MIN_SECRET_CHARS` are left out.
 */
export function secretForms(secret: string, isSecretName: IsName): string[] {
  const value = secret.toWellFormed();
  const bare = value.trim();
  const texts = [value, bare, bare.replace(SCHEME, ''), ...secretsIn(bare, isSecretName)];
  const forms = new Set(texts.flatMap(formsOf));
  return [...forms].filter((form) => form.length >= MIN_SECRET_CHARS && !PEM_FRAME.test(form));
}

function formsOf(value: string): string[] {
  const forms = [value, quoted(value), quoted(quoted(value)), encodeURIComponent(value)];
  forms.push(inertText(value));
  if (value.length <= MAX_BASE64_CHARS) forms.push(...base64Forms(value));
  const lines = value.split(BREAKS).map((line) => line.trim());
  if (lines.length > 1) forms.push(...lines, lines.join(' ').trim(), lines.join(''));
  return forms;
}

function secretsIn(value: string, isSecretName: IsName): string[] {
  const fields = value.startsWith('{') ? parseJson(value) : undefined;
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([name, it]) =>
    typeof it === 'string' && isSecretName(name) ? [it.toWellFormed()] : [],
  );
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The parts of its base64 that do not depend on surrounding bytes: one form for each offset modulo
 * three.
 */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((before) => {
    const padded = [...new Uint8Array(before), ...bytes];
    const whole = btoa(padded.map((byte) => String.fromCharCode(byte)).join(''));
    const bits = 8 / 6;
    const form = whole.slice(Math.ceil(before * bits), Math.floor(padded.length * bits));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
