import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';

type Finish = Extract<RunnerMessage, { type: 'finish' }>;
export type Offer = Extract<ControlPlaneMessage, { type: 'offer' }>;

/** What crossed the wire about one attempt. */
export type AttemptBook = {
  attemptId: string;
  issueId: string;
  identifier: string;
  number: number;
  /** As its newest offer has it. */
  spec: Offer['spec'];
  maxEpoch: number;
  grantedTo: Map<number, string>;
  said: Map<string, Set<string>>;
  acked: Map<number, number>;
  /** By epoch: the thread it works on and its absolute total. */
  usage: Map<number, { threadId: string; total: number }>;
  heardFinish: Map<number, { finish: Finish; atMs: number }>;
  finished: boolean;
  cancelReason: string | null;
};

export function openBook({ attemptId, epoch, spec }: Offer): AttemptBook {
  return {
    attemptId,
    issueId: spec.issue.id,
    identifier: spec.issue.identifier,
    number: spec.number,
    spec,
    maxEpoch: epoch,
    grantedTo: new Map(),
    said: new Map(),
    acked: new Map(),
    usage: new Map(),
    heardFinish: new Map(),
    finished: false,
    cancelReason: null,
  };
}

/** Keeps what an event tells of thread and tokens. */
export function noteUsage(
  book: AttemptBook,
  epoch: number,
  kind: string,
  payload: Record<string, unknown>,
): void {
  const known = book.usage.get(epoch) ?? { threadId: '', total: 0 };
  if (kind === 'thread') book.usage.set(epoch, { ...known, threadId: String(payload['threadId']) });
  if (kind !== 'usage') return;
  const { total } = payload['totals'] as { total: number };
  book.usage.set(epoch, { ...known, total: Math.max(known.total, total) });
}
