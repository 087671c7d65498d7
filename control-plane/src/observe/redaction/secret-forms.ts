import { inertText } from '@switchyard/shared/text/inert-text';
import { parseJson } from '@switchyard/shared/text/parse-json';

/** Shorter values would also hide parts of ordinary words. */
export const MIN_SECRET_CHARS = 8;
/** Nobody sends longer ones in a header, where they would be repeated in base64. */
const MAX_BASE64_CHARS = 8_192;

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/u;
/** Sign-ins are stored with it. */
const SCHEME = /^(Bearer|Basic) +/i;
const PEM_FRAME = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/;

type IsName = (name: string) => boolean;

/**
 * What a secret looks like where somebody repeats it: as it is, without blanks around it and without
 * the scheme that is stored with it, in JSON and in JSON within JSON, in an address, in base64 wherever
 * it begins there, as text that names nobody, and of one with line breaks each line and all of them in
 * a row; of a JSON object also what stands in it under the name of a secret, as a sign-in is stored.
 * Nothing that is shorter than `MIN_SECRET_CHARS`.
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

/** What stays the same of it in base64, whatever stands around it: one form for each place in three. */
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
