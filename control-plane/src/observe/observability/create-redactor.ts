import { withoutParameters } from '../../error-words.ts';
import type { LogFields } from '../../ports.ts';

const REDACTED = '[redacted]';
/** Shorter values would also hide parts of ordinary words. */
const MIN_SECRET_CHARS = 8;
/** Secrets known at once; the one known longest is forgotten before the next. */
const MAX_SECRETS = 1_000;

const SECRET_NAME =
  /(api|access|secret|private|signing|master|trigger)_?-?key$|(token|secret|password|passphrase|credentials?|authorization|cookie|webhook_?url|dsn)$/i;
/** What carries a secret whatever its value: schemes of `Authorization`, user info, parameters. */
const CARRIERS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic) +[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
  [/([?&#](?:[\w-]*token|[\w-]*key|secret|password|code|state)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/** Takes secrets out of what is about to be written somewhere people look. */
export type Redactor = {
  /** Remembers a value that must never be shown, in any text from now on. */
  hide(secret: string | null | undefined): void;
  text(text: string): string;
  /** Fields under secret-bearing names are hidden whole, the others as text. */
  fields(fields: LogFields): LogFields;
};

/** A redactor that knows nothing yet but what secrets usually look like. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();

  function text(given: string): string {
    let shown = withoutParameters(given);
    for (const secret of secrets) {
      if (shown.includes(secret)) shown = shown.replaceAll(secret, REDACTED);
    }
    for (const [pattern, replacement] of CARRIERS) shown = shown.replace(pattern, replacement);
    return shown;
  }

  return {
    hide(secret) {
      if (typeof secret !== 'string' || secret.length < MIN_SECRET_CHARS) return;
      // Known again is known longest from now.
      secrets.delete(secret);
      secrets.add(secret);
      const [oldest] = secrets;
      if (secrets.size > MAX_SECRETS && oldest !== undefined) secrets.delete(oldest);
    },
    text,
    fields: (fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => {
          if (typeof value === 'string') return [key, isSecretName(key) ? REDACTED : text(value)];
          return [key, typeof value === 'number' && isSecretName(key) ? REDACTED : value];
        }),
      ),
  };
}

/** Whether a variable, key or field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Hides every secret among environment variables, by their names. */
export function hideEnvironment(
  redactor: Redactor,
  env: Readonly<Record<string, string | undefined>>,
): void {
  for (const [name, value] of Object.entries(env)) if (isSecretName(name)) redactor.hide(value);
}
