import { cutText } from '@switchyard/shared/text/cut-text';
import type { JournalEntry } from '../connection/journal/journal.ts';
import { AttemptControl } from './attempt-control.ts';
import type { AttemptContext, AttemptDeps } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { AttemptRecorder } from './progress/attempt-recorder.ts';
import { Liveness } from './progress/liveness.ts';
import { UsageMeter } from './progress/usage-meter.ts';

/** The newest token of an attempt; empty after an adoption until the first grant. */
type AttemptToken = { value: string };

/** Creates the context of an attempt, with the runner's parts. */
export type ContextOf = (entry: JournalEntry, token: AttemptToken) => AttemptContext;

/** An attempt that runs in this process. */
export type HeldAttempt = {
  context: AttemptContext;
  token: AttemptToken;
  done: Promise<AttemptEnd | null>;
};

/** Builds what is an attempt's own in its context, and starts its clocks. */
export function attemptContext(
  deps: Pick<AttemptDeps, 'settings' | 'journal' | 'spool' | 'clock'>,
  entry: JournalEntry,
  token: AttemptToken,
): Omit<AttemptContext, 'deps'> {
  const { attemptId, epoch, spec } = entry;
  const { runnerId, bootId } = deps.settings;
  const ref = { attemptId, epoch };
  const control = new AttemptControl();
  const { turnStallMs, agentStallMs, attemptMs } = spec.limits;
  const liveness = new Liveness(deps.clock, { turnStallMs, agentStallMs, attemptMs }, (failure) =>
    control.stop({ kind: 'limit', failure }),
  );
  const recorder = new AttemptRecorder(ref, deps, { control, liveness });
  const usage = new UsageMeter(entry.progress.usage);
  return {
    ref,
    spec,
    owner: { runnerId, attemptId, epoch, bootId },
    control,
    recorder,
    liveness,
    usage,
    attemptToken: () => token.value,
    apiKey: null,
    result: {
      marker: entry.progress.marker ?? null,
      summary: entry.progress.summary ?? null,
      turnId: null,
    },
    saved: {
      ordinal: entry.progress.checkpoints ?? 0,
      commitSha: null,
      diffBlob: null,
      pushed: false,
      hiddenSha: null,
      review: null,
      work: null,
      askedAside: entry.progress.askedAside ?? false,
      fault: null,
      tail: Promise.resolve(),
    },
  };
}

/** The `finish` message, stored until it is confirmed. */
export function finishOf(
  ref: { attemptId: string; epoch: number },
  stream: { spooledSeq: number; digest: string },
  end: AttemptEnd,
): NonNullable<JournalEntry['finish']> {
  const { message, summary, usage, failureKind, reasonCode, upstream, resetAtMs } = end;
  const { delivery, merged } = end;
  return {
    type: 'finish',
    ...ref,
    finalSeq: stream.spooledSeq,
    digest: stream.digest,
    outcome: end.outcome,
    marker: end.marker,
    summary,
    ...(failureKind === undefined ? {} : { failureKind }),
    ...(reasonCode === undefined ? {} : { reasonCode }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(message === undefined ? {} : { message: cutText(message, 4_000) }),
    ...(usage === undefined ? {} : { usage }),
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(merged === undefined ? {} : { merged }),
  };
}
