import { eq } from 'drizzle-orm';
import { facts } from '../../db/schema/admin/config.ts';
import { joinTokens } from '../../db/schema/runners/runners.ts';
import { setFact } from '../../db/set-fact.ts';
import type { Deps } from '../../deps.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { sha256Hex } from '../../sha256-hex.ts';
import { JOIN_TOKEN_TTL_MS } from './create-join-token.ts';

const VARIABLE = 'SERVICE_JOIN_TOKEN';
const FACT = 'given_join_token';
/** Requires at least 32 characters after the prefix, so that the token cannot be guessed. */
const TOKEN = /^enr_[A-Za-z0-9_-]{32,128}$/;

/**
 * Lets one runner join with `SERVICE_JOIN_TOKEN`, which whoever installs both halves chose. The
 * token is valid once, for an hour from the first start with it; a later start with the same token
 * is a no-op. Throws for a token that is too short to be safe.
 */
export async function acceptGivenJoinToken(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  given: { token: string | undefined; caller: Caller },
): Promise<void> {
  const { token = '', caller } = given;
  if (token === '') return;
  if (!TOKEN.test(token)) {
    throw new Error(
      `${VARIABLE} must be "enr_" and 32 to 128 letters, digits, "-" or "_", ` +
        'for example: echo enr_$(openssl rand -hex 24)',
    );
  }
  const token_hash = await sha256Hex(token);
  const [known] = await db.select().from(facts).where(eq(facts.name, FACT));
  if (known?.value['hash'] === token_hash) return;
  const nowMs = clock.nowMs();
  await db.batch([
    db
      .insert(joinTokens)
      .values({
        token_hash,
        labels: [],
        created_by: caller.actor,
        created_at_ms: nowMs,
        expires_at_ms: nowMs + JOIN_TOKEN_TTL_MS,
      })
      .onConflictDoNothing(),
    setFact(db, nowMs, FACT, { hash: token_hash }),
    auditStatement(db, nowMs, caller, { operation: 'runner.token.create' }),
  ]);
}
