import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../../deps.ts';
import { judgeClaim } from '../decide.ts';
import { attemptAndRunner } from '../queries.ts';
import { retryableError, type RunnerSession } from './runner-session.ts';
import { leaseView } from './judge-inventory.ts';

/**
 * Explains why a write under a lease was refused, from the rows read afterwards. A fence is sent
 * only if these prove a lost lease; if everything matches, the write lost a race and is retryable.
 */
export async function refuseClaim(
  deps: Pick<Deps, 'db'>,
  session: RunnerSession,
  claim: { attemptId: string; epoch: number },
): Promise<ControlPlaneMessage> {
  const { attemptId, epoch } = claim;
  const { runnerId } = session;
  const { attempt: row, runner } = await attemptAndRunner(deps.db, attemptId, runnerId);
  const fence = { type: 'fence', attemptId, epoch, currentEpoch: row?.epoch ?? null } as const;
  if (runner === null || runner.revoked_at_ms !== null) return { ...fence, code: 'RUNNER_REVOKED' };
  if (runner.session !== session.session) return { ...fence, code: 'STALE_SESSION' };
  const verdict = judgeClaim(row === null ? null : leaseView(row), { epoch, runnerId });
  if (verdict.kind === 'stop') return { ...fence, code: verdict.code };
  return retryableError('CONFLICT', 'the lease changed at the same moment; try again', {
    attemptId,
  });
}
