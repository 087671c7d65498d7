import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { joinTokens } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { sha256Hex } from '../../sha256-hex.ts';

/** Join tokens live at most an hour. Source: docs/runner-protocol.md, Identities. */
export const JOIN_TOKEN_TTL_MS = 3_600_000;

/** Makes a token with which exactly one runner may join. Only its hash is stored. */
export async function createJoinToken(
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  input: { labels: string[]; expiresInMs: number; caller: Caller },
): Promise<{ token: string; expiresAt: string }> {
  const token = `enr_${deps.ids.secret()}`;
  const nowMs = deps.clock.nowMs();
  const expiresAtMs = nowMs + Math.min(input.expiresInMs, JOIN_TOKEN_TTL_MS);
  await deps.db.batch([
    deps.db.insert(joinTokens).values({
      token_hash: await sha256Hex(token),
      labels: input.labels,
      created_by: input.caller.actor,
      created_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
    }),
    auditStatement(deps.db, nowMs, input.caller, { operation: 'runner.token.create' }),
  ]);
  return { token, expiresAt: new Date(expiresAtMs).toISOString() };
}
