import { parseJson } from '@switchyard/shared/text/parse-json';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { isMeantAsReference } from '@switchyard/shared/settings/secret-reference';
import { withoutParameters } from '../../error-message.ts';
import type { Redactor } from '../../ports/redactor.ts';
import { createNeedleSearch } from './create-needle-search.ts';
import { MIN_SECRET_CHARS, secretForms } from './secret-forms.ts';

const REDACTED = '[redacted]';
/** Secrets known at once; beyond this the oldest one is dropped. */
const MAX_SECRETS = 2_000;

const SECRET_NAME =
  /(api|access|secret|private|signing|master|trigger)_?-?key$|(token|secret|password|passphrase|credentials?|authorization|cookie|webhook_?url|dsn)$/i;
/** This variable is this service's public address: its name looks like a secret, but it is none. */
const PUBLIC_NAME = /__webhook__webhook_?url$/i;
const OWN_NAME = /^(SERVICE|SWITCHYARD)_/;
const PLAIN_WORD = /^\p{L}+$/u;
/**
 * Patterns that contain a secret whatever its value: `Authorization` schemes, user info,
 * parameters.
 */
const CARRIERS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic) +[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
  [/([?&#](?:[\w-]*token|[\w-]*key|secret|password|code|state)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/** Creates a redactor that knows no secrets yet, only patterns of secrets. */
export function createRedactor(): Redactor {
  const everywhere = createKnown();
  const inLog = createKnown();
  const { known } = everywhere;

  function walk(value: unknown): unknown {
    if (typeof value === 'string') return known(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [known(key), walk(it)]));
  }

  function text(given: string): string {
    let shown = inLog.known(known(withoutParameters(given)));
    for (const [pattern, replacement] of CARRIERS) shown = shown.replace(pattern, replacement);
    return shown;
  }

  return {
    hide: (secret) => everywhere.add(secret),
    hideInLog: (secret) => inLog.add(secret),
    text,
    known,
    json(json) {
      // A secret may equal a number or JSON syntax, so only strings are replaced.
      if (known(json) === json) return json;
      const value = parseJson(json);
      return value === undefined ? known(json) : toJson(walk(value));
    },
    value: <Value>(value: Value) => walk(value) as Value,
    version: everywhere.version,
    fields: (fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => {
          if (typeof value === 'string') return [key, isSecretName(key) ? REDACTED : text(value)];
          return [key, typeof value === 'number' && isSecretName(key) ? REDACTED : value];
        }),
      ),
  };
}

/** The known secrets in all their forms, and the removal of these from texts. */
function createKnown() {
  const forms = new Map<string, string[]>();
  let version = 0;
  let search: ReturnType<typeof createNeedleSearch> | null = null;
  return {
    version: () => version,
    add(secret: string | null | undefined): void {
      if (typeof secret !== 'string' || secret.length < MIN_SECRET_CHARS) return;
      // A reference to a secret is not a secret.
      if (isMeantAsReference(secret)) return;
      const before = forms.get(secret);
      // Added again, the secret counts as the most recent one.
      forms.delete(secret);
      forms.set(secret, before ?? secretForms(secret, isSecretName));
      if (before !== undefined) return;
      const [oldest] = forms.keys();
      if (forms.size > MAX_SECRETS && oldest !== undefined) forms.delete(oldest);
      search = null;
      version += 1;
    },
    known(text: string): string {
      search ??= createNeedleSearch([...forms.values()].flat(), MIN_SECRET_CHARS);
      const found = search(text);
      if (found.length === 0) return text;
      let at = 0;
      let shown = '';
      for (const { from, to } of found) {
        shown += text.slice(at, from) + REDACTED;
        at = to;
      }
      return shown + text.slice(at);
    },
  };
}

/** Whether a variable, key or field of this name holds a secret. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Redacts every secret among environment variables, found by name. A plain word used as another
 * program's password (`PGPASSWORD=switchyard`) is hidden in the log only.
 */
export function hideEnvironment(
  redactor: Redactor,
  env: Readonly<Record<string, string | undefined>>,
): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !isSecretName(name) || PUBLIC_NAME.test(name)) continue;
    if (!OWN_NAME.test(name) && PLAIN_WORD.test(value)) redactor.hideInLog(value);
    else redactor.hide(value);
  }
}
