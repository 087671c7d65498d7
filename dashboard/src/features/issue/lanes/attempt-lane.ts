import type { Attempt, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { textOf, recordOf } from '../../../format/text-of.ts';

export type LaneKind =
  | 'queued'
  | 'lease'
  | 'workspace'
  | 'start'
  | 'turn'
  | 'between'
  | 'delivery'
  | 'checks';
export type LaneSegment = {
  kind: LaneKind;
  fromMs: number;
  /** End of the segment; null while it lasts. */
  toMs: number | null;
  /** Number of a turn, null for other kinds; and whether a turn or the checks failed. */
  number: number | null;
  failed: boolean;
};

const KIND_OF_PHASE: Record<string, LaneKind> = {
  offered: 'queued',
  leased: 'lease',
  workspace: 'workspace',
  starting: 'start',
  streaming: 'between',
  delivering: 'delivery',
};

/** The activities of an attempt over time, from its record and its events. */
export function attemptLane(attempt: Attempt, events: readonly StreamEvent[]): LaneSegment[] {
  const segments: LaneSegment[] = [begin('queued', Date.parse(attempt.queuedAt))];
  const next = (segment: LaneSegment) => {
    close(segments, segment.fromMs);
    segments.push(segment);
  };
  for (const event of events) {
    const atMs = Date.parse(event.at);
    const phase = phaseOf(event);
    const kind = phase === null ? undefined : KIND_OF_PHASE[phase];
    if (kind !== undefined && kind !== segments.at(-1)?.kind) next(begin(kind, atMs));
    const turn = turnOf(event);
    if (turn === null) continue;
    if (!turn.ended) next({ ...begin('turn', atMs), number: turn.number });
    else if (segments.at(-1)?.kind === 'turn') {
      const open = segments.at(-1) as LaneSegment;
      open.failed = turn.failed;
      next(begin('between', atMs));
    }
  }
  if (attempt.endedAt !== null) close(segments, Date.parse(attempt.endedAt));
  return segments.filter((segment) => segment.kind !== 'between' || lasts(segment));
}

/**
 * The checks of this attempt's delivery, as one segment after its end; null before any has started.
 */
export function checksSegment(
  attempt: Attempt,
  delivered: IssuePullRequest | undefined,
): LaneSegment | null {
  if (delivered?.checked == null || delivered.pullRequest.attemptId !== attempt.attemptId)
    return null;
  const { checks } = delivered.checked;
  const begins = checks.flatMap(({ startedAt }) =>
    startedAt === null ? [] : Date.parse(startedAt),
  );
  if (begins.length === 0) return null;
  const ends = checks.flatMap(({ endedAt }) => (endedAt === null ? [] : Date.parse(endedAt)));
  const fromMs = Math.min(...begins);
  const isOver = checks.every(({ state }) => state !== 'pending');
  return {
    ...begin('checks', fromMs),
    toMs: isOver ? Math.max(fromMs, ...ends) : null,
    failed: checks.some(({ state }) => state === 'failed'),
  };
}

const begin = (kind: LaneKind, fromMs: number): LaneSegment => ({
  kind,
  fromMs,
  toMs: null,
  number: null,
  failed: false,
});

/** Whether a segment lasts long enough to be shown; empty ones between two turns are not. */
function lasts(segment: LaneSegment): boolean {
  return segment.toMs !== null && segment.toMs - segment.fromMs >= 1_000;
}

function close(segments: LaneSegment[], atMs: number): void {
  const open = segments.at(-1);
  if (open !== undefined && open.toMs === null) open.toMs = Math.max(open.fromMs, atMs);
}

function phaseOf(event: StreamEvent): string | null {
  const { data } = event;
  if (event.type === 'attempt.phase') return textOf(data['phase']);
  if (event.type === 'attempt.requeued') return 'offered';
  if (event.type !== 'attempt.event' || data['kind'] !== 'phase') return null;
  return textOf(recordOf(event.data['payload'])['phase']);
}

function turnOf(event: StreamEvent): { ended: boolean; failed: boolean; number: number } | null {
  if (event.type !== 'attempt.event' || event.data['kind'] !== 'turn') return null;
  const payload = recordOf(event.data['payload']);
  return {
    ended: payload['state'] === 'ended',
    failed: payload['status'] === 'failed' || payload['status'] === 'interrupted',
    number: Number(payload['number'] ?? 0),
  };
}
