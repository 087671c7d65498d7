import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Context } from 'hono';
import type { Database } from '../db/database.ts';
import { withoutSecrets } from './answers/redact-answers.ts';
import { isUnchanged } from './is-unchanged.ts';
import { sendReadyJson } from './send-json.ts';

/** An answer that is made only when it is needed. `version` differs whenever the answer would. */
export type Versioned<T> = { version: string; answer: () => Promise<T> };

/** Answers that are kept, the least used given up first. */
const MAX_KEPT_BYTES = 8_388_608;

type Kept = {
  /** Of the rows that `version` was read from; null where only a question would tell. */
  rows: string | null;
  version: string;
  /** Which secrets were taken out. */
  secrets: number | undefined;
  /** JSON as UTF-8. */
  body: Uint8Array<ArrayBuffer>;
};

/**
 * Serves a JSON answer that has not changed as the same bytes: while no row has changed, without
 * asking the database; else when its version is still the same. For answers that depend on rows and
 * on their key alone, and on no clock.
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
    // Read first: a change that happens meanwhile makes the next request look again.
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
