import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import type { OfferAnswer } from '../../connection/attempt-port.ts';
import type { JournalEntry } from '../../connection/journal/journal.ts';

/** Valid attempt ids: they become names of folders and containers. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The state of this host when an offer arrives. */
export type HostState = {
  draining: boolean;
  diskLow: boolean;
  freeSlots: number;
  entries: readonly JournalEntry[];
  hasEngine: boolean;
  /** Why the offered engine is not ready yet; null when it is. */
  engineWait: string | null;
  /** Why this host cannot provide the requested isolation; null when it can. */
  isolationProblem: string | null;
  isAllowedImage: boolean;
  /** A container of the attempt's older lease may still run here. */
  attemptIsDying: boolean;
};

/** Whether this host accepts an attempt; pure. */
export function judgeOffer(attemptId: string, spec: AttemptSpec, host: HostState): OfferAnswer {
  if (!SAFE_ID.test(attemptId) || spec.attemptId !== attemptId) {
    return { accepted: false, code: 'SPEC_INVALID', message: 'the attempt id is not usable' };
  }
  // A merge is tested without an agent.
  const needsEngine = spec.merge === undefined;
  if (needsEngine && !host.hasEngine) {
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
  if (needsEngine && host.engineWait !== null)
    return { accepted: false, code: 'NO_SLOT', message: host.engineWait };
  if (host.diskLow) return { accepted: false, code: 'DISK_LOW' };
  // One writer for each workspace, also on file systems that ignore case.
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
