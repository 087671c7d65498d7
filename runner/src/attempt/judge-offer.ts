import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import type { OfferAnswer } from '../connection/attempt-port.ts';
import type { JournalEntry } from '../connection/journal/journal.ts';

/** Attempt ids become folder and container names. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** What this host is like when an offer comes. */
export type HostState = {
  draining: boolean;
  diskLow: boolean;
  freeSlots: number;
  entries: readonly JournalEntry[];
  hasEngine: boolean;
  /** Why its agent engine is not ready yet; null when it is. */
  engineWait: string | null;
  /** Why this host cannot isolate as the spec asks; null when it can. */
  isolationProblem: string | null;
  isAllowedImage: boolean;
  /** A container of the attempt's older lease may still live here. */
  attemptIsDying: boolean;
};

/** Whether this host takes an attempt; pure. */
export function judgeOffer(attemptId: string, spec: AttemptSpec, host: HostState): OfferAnswer {
  if (!SAFE_ID.test(attemptId) || spec.attemptId !== attemptId) {
    return { accepted: false, code: 'SPEC_INVALID', message: 'the attempt id is not usable' };
  }
  if (!host.hasEngine) {
    const message = `no agent engine ${spec.engine.name ?? ''} here`;
    return { accepted: false, code: 'SPEC_INVALID', message };
  }
  if (host.isolationProblem !== null)
    return { accepted: false, code: 'SPEC_INVALID', message: host.isolationProblem };
  if (!host.isAllowedImage) {
    const message = `image ${spec.sandbox.image ?? ''} is not on this runner's list of images`;
    return { accepted: false, code: 'SPEC_INVALID', message };
  }
  if (host.draining) return { accepted: false, code: 'DRAINING' };
  if (host.engineWait !== null)
    return { accepted: false, code: 'NO_SLOT', message: host.engineWait };
  if (host.diskLow) return { accepted: false, code: 'DISK_LOW' };
  // One writer per workspace, also where the file system takes two cases for one name.
  const folder = workspaceKeyOf(spec).toLowerCase();
  const taken = host.entries.some(
    (entry) =>
      entry.attemptId === attemptId ||
      entry.spec.issue.id === spec.issue.id ||
      workspaceKeyOf(entry.spec).toLowerCase() === folder,
  );
  if (host.freeSlots < 1 || taken || host.attemptIsDying)
    return { accepted: false, code: 'NO_SLOT' };
  return { accepted: true };
}
