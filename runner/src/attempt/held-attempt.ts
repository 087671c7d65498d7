import { cutText } from '@switchyard/shared/text/cut-text';
import { pinnedEngine } from '../container/switching-engine.ts';
import type { JournalEntry } from '../connection/journal/journal.ts';
import { AttemptControl } from './attempt-control.ts';
import type { AttemptContext, AttemptDeps } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { Liveness } from './liveness.ts';
import { UsageMeter } from './usage-meter.ts';
import { watchModel } from './watch/watch-model.ts';

/** An attempt that runs in this process. */
export type HeldAttempt = {
  context: AttemptContext;
  /** Set by each newer grant; empty after an adoption until the first one. */
  token: { value: string };
  done: Promise<AttemptEnd | null>;
};

/**
 * Builds the shared context of an attempt and starts its clocks. The isolation is the one chosen
 * when it was granted, whatever new attempts get now.
 */
export function contextOf(
  runner: AttemptDeps,
  entry: JournalEntry,
  secrets: { token: { value: string }; apiKey: string | null },
): AttemptContext {
  const { attemptId, epoch, spec } = entry;
  const deps = {
    ...runner,
    containers: pinnedEngine(runner.containers, entry.progress.isolation),
  };
  const ref = { attemptId, epoch };
  const control = new AttemptControl();
  const { turnStallMs, agentStallMs, attemptMs } = spec.limits;
  const liveness = new Liveness(deps.clock, { turnStallMs, agentStallMs, attemptMs }, (failure) =>
    control.stop({ kind: 'limit', failure }),
  );
  const parts = {
    ref,
    spec,
    owner: { runnerId: deps.runnerId, attemptId, epoch, bootId: deps.bootId },
    deps,
    control,
    recorder: new AttemptRecorder(ref, deps, { control, liveness }),
    liveness,
    usage: new UsageMeter(entry.progress.usage),
    attemptToken: () => secrets.token.value,
    apiKey: secrets.apiKey,
    result: {
      marker: entry.progress.marker ?? null,
      summary: entry.progress.summary ?? null,
      usage: entry.progress.usage?.own,
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
  return { ...parts, model: watchModel(parts) };
}

/** The `finish` message, stored until it is confirmed. */
export function finishOf(
  ref: { attemptId: string; epoch: number },
  stream: { spooledSeq: number; digest: string },
  end: AttemptEnd,
): NonNullable<JournalEntry['finish']> {
  const { message, summary, usage, failureKind, reasonCode, upstream, resetAtMs, delivery } = end;
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
  };
}
