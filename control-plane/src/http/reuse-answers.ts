import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Context } from 'hono';
import type { Database } from '../db/database.ts';
import { withoutSecrets } from './answers/redact-answers.ts';
import { isUnchanged } from './is-unchanged.ts';
import { sendReadyJson } from './send-json.ts';

/** A response that is built only when needed. `version` differs whenever the response would. */
export type Versioned<T> = { version: string; answer: () => Promise<T> };

/** Memory for cached responses; the one stored or confirmed longest ago is dropped first. */
const MAX_KEPT_BYTES = 8_388_608;

type Kept = {
  /** State of the rows from which `version` was read; null where only a query can tell. */
  rows: string | null;
  version: string;
  /** Version of the known secrets that were redacted. */
  secrets: number | undefined;
  /** JSON as UTF-8. */
  body: Uint8Array<ArrayBuffer>;
};

/**
 * Serves an unchanged JSON response from cached bytes: without a query while no row has changed,
 * else when its version is the same. Only for responses that depend on rows and their key, not on a
 * clock.
 */
export function reuseAnswers({ db }: { db: Pick<Database, 'rowsVersion'> }) {
  const kept = new Map<string, Kept>();
  let keptBytes = 0;

  const forget = (key: string): void => {
    keptBytes -= kept.get(key)?.body.length ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, answer: Kept): void => {
    forget(key);
    if (answer.body.length > MAX_KEPT_BYTES) return;
    kept.set(key, answer);
    keptBytes += answer.body.length;
    for (const oldest of kept.keys()) {
      if (keptBytes <= MAX_KEPT_BYTES) return;
      forget(oldest);
    }
  };

  return async function reuse(
    c: Context,
    key: string,
    read: () => Promise<Versioned<unknown>>,
  ): Promise<Response> {
    // Read first, so that a concurrent change makes the next request check again.
    const rows = db.rowsVersion?.() ?? null;
    const secrets = c.get('redactor')?.version();
    const made = kept.get(key);
    const known = made?.secrets === secrets ? made : undefined;
    if (known !== undefined && rows !== null && known.rows === rows) return reply(c, known);
    const { version, answer } = await read();
    if (known?.version === version) {
      keep(key, { ...known, rows });
      return reply(c, known);
    }
    if (isUnchanged(c, version)) return c.body(null, 304);
    const body = new Uint8Array(
      new TextEncoder().encode(withoutSecrets(c, toJson(await answer()))),
    );
    keep(key, { rows, version, secrets, body });
    return sendReadyJson(c, body);
  };
}

function reply(c: Context, { version, body }: Kept): Response {
  return isUnchanged(c, version) ? c.body(null, 304) : sendReadyJson(c, body);
}
