import { and, eq, gt, isNull } from 'drizzle-orm';
import { importJWK } from 'jose';
import type { JoinRequest, JoinResponse } from '@switchyard/shared/protocol/join';
import { auditStatement } from '../audit/audit-statement.ts';
import type { Caller } from '../audit/caller.ts';
import { isFenced, requireChange } from '../db/require-change.ts';
import { joinTokens, runners } from '../db/schema/runners.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { narrowLabels } from './decide.ts';
import { sha256Hex } from '../sha256-hex.ts';

/** Turns a one-time token into a runner identity. 401 for a token that is unknown, used or too old. */
export async function joinRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'service'>,
  input: { token: string; request: JoinRequest; caller: Omit<Caller, 'actor' | 'source'> },
): Promise<JoinResponse> {
  await requireUsableKeys(input.request);
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const hash = await sha256Hex(input.token);
  const usable = and(
    eq(joinTokens.token_hash, hash),
    isNull(joinTokens.used_at_ms),
    gt(joinTokens.expires_at_ms, nowMs),
  );
  const [token] = await db.select().from(joinTokens).where(usable).limit(1);
  if (token === undefined) throw refused();
  const runnerId = deps.ids.next('run');
  const labels = narrowLabels(input.request.labels, token.labels);
  const caller: Caller = { ...input.caller, actor: `runner:${runnerId}`, source: 'runner' };
  try {
    await db.batch([
      db.update(joinTokens).set({ used_at_ms: nowMs, runner_id: runnerId }).where(usable),
      requireChange(db),
      db.insert(runners).values({
        runner_id: runnerId,
        name: input.request.name,
        signing_key: input.request.keys.signing,
        sealing_key: input.request.keys.sealing,
        allowed_labels: token.labels,
        labels,
        version: input.request.version,
        warnings: [],
        joined_at_ms: nowMs,
      }),
      auditStatement(db, nowMs, caller, {
        operation: 'runner.join',
        subject: runnerId,
        details: { name: input.request.name },
      }),
    ]);
  } catch (error) {
    if (isFenced(error)) throw refused();
    throw error;
  }
  return { runnerId, audience: deps.service.audience, labels };
}

function refused(): AppError {
  return new AppError(
    'unauthorized',
    'this join token is unknown, used or expired; make a new one',
    {
      reason: 'join_token_refused',
      headers: { 'WWW-Authenticate': 'Bearer' },
    },
  );
}

async function requireUsableKeys(request: JoinRequest): Promise<void> {
  try {
    await importJWK(request.keys.signing, 'EdDSA');
    await importJWK(request.keys.sealing, 'ECDH-ES');
  } catch {
    throw new AppError('bad_request', 'keys must be an Ed25519 and an X25519 public JWK');
  }
  const holdsPrivate = 'd' in request.keys.signing || 'd' in request.keys.sealing;
  if (holdsPrivate) throw new AppError('bad_request', 'send public keys only');
}
