import { and, eq, isNull } from 'drizzle-orm';
import { Calls } from '@switchyard/shared/protocol/calls';
import type { CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { CodeHostError } from '../codehosts/code-host.ts';
import { attempts } from '../db/schema/attempts.ts';
import type { Deps } from '../deps.ts';
import { runnerById } from './queries.ts';
import { sealFor } from './seal-secrets.ts';
import type { RunnerSession } from './session.ts';

/** Runners ask again at least this often, so that a token that was replaced is soon out of use. */
const MAX_REUSE_MS = 5 * 60_000;
/** Time that git itself may need with a token. */
const MARGIN_MS = 5 * 60_000;

/**
 * Answers later and beside the frames: the code host may be slow, and leases must be renewed
 * meanwhile. Only for repositories of a route or of an attempt that this runner holds.
 */
export function answerGitCredentials(
  deps: Deps,
  session: RunnerSession,
  message: RunnerMessageOf<'call'>,
): void {
  const { callId } = message;
  const { runnerId } = session;
  deps.background.run('credentials for git', async () => {
    const answer = await answerOf(deps, session, message).catch((error: unknown) => {
      // What a code host says of itself holds no secret; other errors stay here.
      const known = error instanceof CodeHostError;
      if (!known) deps.errors.capture(error, { operation: 'credentials for git' });
      return refusal(callId, 'failed', known ? error.message : 'the credentials are not to be had');
    });
    deps.sockets.send(runnerId, [answer]);
  });
}

async function answerOf(
  deps: Deps,
  session: RunnerSession,
  { callId, params: given }: RunnerMessageOf<'call'>,
): Promise<ControlPlaneMessage> {
  const params = Calls['git.credentials'].params.safeParse(given);
  if (!params.success) return refusal(callId, 'INVALID', 'malformed parameters');
  const runner = await runnerById(deps.db, session.runnerId);
  if (runner === null || runner.revoked_at_ms !== null || runner.session !== session.session) {
    return refusal(callId, 'REFUSED', 'this session is over');
  }
  if (!(await mayReach(deps, session.runnerId, params.data))) {
    return refusal(callId, 'REFUSED', 'no route leads to this repository');
  }
  const { repositoryUrl } = params.data;
  const host = deps.codeHosts.find((candidate) => candidate.serves(repositoryUrl));
  const credentials = (await host?.gitCredentials?.(repositoryUrl)) ?? null;
  if (credentials === null) return result(callId, { sealed: null, reusableMs: 0 });
  const { username, password, expiresAtMs } = credentials;
  const leftMs = expiresAtMs === null ? MAX_REUSE_MS : expiresAtMs - deps.clock.nowMs() - MARGIN_MS;
  return result(callId, {
    sealed: await sealFor(runner, { username, password }),
    reusableMs: Math.max(0, Math.min(MAX_REUSE_MS, leftMs)),
  });
}

async function mayReach(
  deps: Pick<Deps, 'db' | 'config'>,
  runnerId: string,
  { repositoryUrl }: CallParams<'git.credentials'>,
): Promise<boolean> {
  const { repos } = await deps.config.load();
  if (repos.some((route) => route.url === repositoryUrl)) return true;
  const held = await deps.db
    .select({ id: attempts.attempt_id })
    .from(attempts)
    .where(
      and(
        eq(attempts.runner_id, runnerId),
        eq(attempts.repository_url, repositoryUrl),
        isNull(attempts.released_at_ms),
      ),
    )
    .limit(1);
  return held.length > 0;
}

function result(callId: string, value: CallValue<'git.credentials'>): ControlPlaneMessage {
  return { type: 'result', callId, ok: true, value };
}

function refusal(callId: string, code: string, message: string): ControlPlaneMessage {
  return { type: 'result', callId, ok: false, error: { code, message } };
}
