import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { AttemptRow } from '../db/schema/attempts.ts';
import { judgeClaim } from './decide.ts';
import { leaseView } from './verdicts.ts';

/** Names why a fenced write matched nothing, from the row read afterwards. */
export function fenceFor(
  claim: { attemptId: string; epoch: number },
  row: AttemptRow | null,
  runnerId: string,
): ControlPlaneMessage {
  const verdict = judgeClaim(row === null ? null : leaseView(row), { epoch: claim.epoch, runnerId });
  return {
    type: 'fence',
    attemptId: claim.attemptId,
    epoch: claim.epoch,
    // The claim holds, so what did not match was the session: a newer one has taken over.
    code: verdict.kind === 'stop' ? verdict.code : 'STALE_SESSION',
    currentEpoch: row?.epoch ?? null,
  };
}
