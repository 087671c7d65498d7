import { and, eq, gt, isNull } from 'drizzle-orm';
import { importJWK } from 'jose';
import type { JoinRequest, JoinResponse } from '@switchyard/shared/protocol/join';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { joinTokens, runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import { narrowLabels } from '../decide.ts';
import { sha256Hex } from '../../sha256-hex.ts';

/** Format of the tokens of `createJoinToken`; anything else is refused without a database read. */
const TOKEN = /^Bearer (enr_[A-Za-z0-9_-]{1,128})$/;

/**
 * The row of the one-time token in an `Authorization` header. 401 when it is unknown, used or too
 * old.
 */
export async function requireJoinToken(
  deps: Pick<Deps, 'db' | 'clock'>,
  authorization: string | undefined,
): Promise<typeof joinTokens.$inferSelect> {
  const token = TOKEN.exec(authorization ?? '')?.[1];
  if (token === undefined) throw refused();
  const usable = isUsable(await sha256Hex(token), deps.clock.nowMs());
  const [row] = await deps.db.select().from(joinTokens).where(usable).limit(1);
  if (row === undefined) throw refused();
  return row;
}

function isUsable(hash: string, nowMs: number) {
  return and(
    eq(joinTokens.token_hash, hash),
    isNull(joinTokens.used_at_ms),
    gt(joinTokens.expires_at_ms, nowMs),
  );
}

/** Turns a one-time token into a runner identity. 401 for a token that is unknown, used or too old. */
export async function joinRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'service'>,
  input: { token: string; request: JoinRequest; caller: Omit<Caller, 'actor' | 'source'> },
): Promise<JoinResponse> {
  await requireUsableKeys(input.request);
  const { db } = deps;
  // The name is shown to people, also in terminals.
  const name = visibleLine(input.request.name);
  if (name === '') throw new AppError('bad_request', 'the name has no character that can be seen');
  const nowMs = deps.clock.nowMs();
  const token = await requireJoinToken(deps, `Bearer ${input.token}`);
  const usable = isUsable(token.token_hash, nowMs);
  const runnerId = deps.ids.next('run');
  const labels = narrowLabels(input.request.labels.map(visibleLine), token.labels);
  const caller: Caller = { ...input.caller, actor: `runner:${runnerId}`, source: 'runner' };
  const committed = await commitChange(deps, {
    swap: db.update(joinTokens).set({ used_at_ms: nowMs, runner_id: runnerId }).where(usable),
    also: [
      db.insert(runners).values({
        runner_id: runnerId,
        name,
        signing_key: input.request.keys.signing,
        sealing_key: input.request.keys.sealing,
        allowed_labels: token.labels,
        labels,
        version: visibleLine(input.request.version),
        warnings: [],
        joined_at_ms: nowMs,
      }),
    ],
    audit: { caller, operation: 'runner.join', subject: runnerId, details: { name } },
    nowMs,
  });
  if (!committed) throw refused();
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
