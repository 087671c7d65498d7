import type { MergeQueueEntry, MergeState } from '@switchyard/shared/api/pull-requests/merge-queue';
import { groupBy } from '@switchyard/shared/group-by';
import { AppError } from '../../errors.ts';
import { pullRequestRecord } from '../../ports/code-host/pull-request-record.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { Deps } from '../../deps.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { compareQueued, type Queued, whyNotYet } from './decide.ts';
import { type MergeCandidate, mergeCandidates } from './queries.ts';
import { queued } from './queued.ts';

type ViewDeps = Pick<Deps, 'db' | 'clock' | 'trackers'> & {
  service: Pick<Deps['service'], 'publicOrigin'>;
};
type InQueue = MergeCandidate & { entry: MergeQueueRow };
type Placed = { one: InQueue; order: Queued };

const ORDER: readonly MergeState[] = ['testing', 'waiting', 'returned', 'held'];

/** The merge queue of every base branch, each in the order in which it merges. */
export function viewQueue(deps: ViewDeps): Promise<MergeQueueEntry[]> {
  return view(deps, 'queued');
}

async function view(
  deps: ViewDeps,
  which: 'queued' | { inLineOf: string },
): Promise<MergeQueueEntry[]> {
  const [found, pause] = await Promise.all([mergeCandidates(deps.db, which), readPause(deps.db)]);
  const placed = found
    .filter((one): one is InQueue => one.entry !== null)
    .map((one) => ({ one, order: queued(deps, one) }));
  const lines = groupBy(placed, ({ order }) => order.line);
  return [...lines]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, line]) => viewLine(deps, line, { isPaused: pause !== null }));
}

/** A pull request's place in the merge queue. Throws a 404 when it is not in it. */
export async function viewEntry(deps: ViewDeps, id: string): Promise<MergeQueueEntry> {
  const entry = (await view(deps, { inLineOf: id })).find(
    ({ pullRequestId }) => pullRequestId === id,
  );
  if (entry === undefined)
    throw new AppError('not_found', `pull request ${id} not found in the merge queue`);
  return entry;
}

function viewLine(
  deps: ViewDeps,
  line: readonly Placed[],
  { isPaused }: { isPaused: boolean },
): MergeQueueEntry[] {
  const nowMs = deps.clock.nowMs();
  const sorted = line.toSorted(
    (a, b) =>
      ORDER.indexOf(a.order.state) - ORDER.indexOf(b.order.state) ||
      compareQueued(a.order, b.order),
  );
  const isTesting = sorted.some(({ order }) => order.state === 'testing');
  const waiting = sorted.filter(({ order }) => order.state === 'waiting');
  return sorted.map(({ one, order }) => {
    const at = waiting.findIndex((other) => other.order.id === order.id);
    const before = at + (isTesting ? 1 : 0);
    const reason =
      order.state === 'waiting'
        ? whyItWaits(one.entry, { order, before, isPaused, nowMs })
        : one.entry.reason;
    return entryRecord(deps, one, { position: at === -1 ? null : at + 1, reason });
  });
}

function whyItWaits(
  { tries, reason }: MergeQueueRow,
  at: { order: Queued; before: number; isPaused: boolean; nowMs: number },
): string {
  if (at.isPaused) return 'waits for the end of the pause';
  const notYet = whyNotYet(at.order, at.nowMs);
  if (notYet !== null) return tries > 0 ? reason : notYet;
  if (at.before === 0) return 'is tested next';
  return at.before === 1 ? 'waits for the one before it' : `waits for ${at.before} before it`;
}

function entryRecord(
  deps: ViewDeps,
  { pullRequest, issue, entry }: InQueue,
  { position, reason }: { position: number | null; reason: string },
): MergeQueueEntry {
  const { url } = pullRequestRecord({ publicOrigin: () => deps.service.publicOrigin }, pullRequest);
  return {
    pullRequestId: pullRequest.id,
    number: pullRequest.number,
    title: pullRequest.title,
    url,
    issueIdentifier: issue.identifier,
    repositoryUrl: entry.repository_url,
    base: entry.base,
    state: entry.state,
    position,
    reason,
    reasonCode: entry.reason_code,
    attemptId: entry.attempt_id,
    enteredBy: entry.entered_by,
    enteredAt: new Date(entry.entered_at_ms).toISOString(),
    updatedAt: new Date(entry.updated_at_ms).toISOString(),
  };
}
