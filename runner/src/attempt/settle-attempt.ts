import type { GivenBack } from '../connection/attempt-port.ts';
import { sleep } from '../connection/clock.ts';
import type { StopOrder } from './attempt-control.ts';
import type { AttemptContext } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { finishOf } from './held-attempt.ts';
import { letGo } from './session/let-go.ts';
import { readableReason } from './steps/readable-reason.ts';

/** How long the last events of a released lease are awaited. */
const FLUSH_LIMIT_MS = 1_500;
const FLUSH_POLL_MS = 50;

/**
 * Reports the end of an attempt, or releases its lease. Its container is confirmed removed when
 * this is called; `forget` removes the attempt from this process.
 */
export async function settleAttempt(
  context: AttemptContext,
  end: AttemptEnd | null,
  forget: () => void,
): Promise<void> {
  const { ref, control, deps } = context;
  const { journal, spool, uplink, log } = deps;
  context.recorder.close();
  const stream = spool.seal(ref);
  // A released lease accepts no more events, so the recorded ones are sent first.
  if (control.order?.kind === 'release') await flushed(context);
  forget();
  const { order } = control;
  if (end === null || stream === null) {
    log.info('attempt given up', { ...ref, why: order?.kind });
    letGo(context, order?.kind === 'fence' ? null : givenBack(order));
    return;
  }
  log.info('attempt ended', {
    ...ref,
    outcome: end.outcome,
    failureKind: end.failureKind,
    message: end.message,
  });
  journal.update(ref, {
    phase: 'finishing',
    containerId: null,
    finish: finishOf(ref, stream, toPeople(context, end)),
  });
  uplink.ended();
}

function toPeople({ ref, deps }: AttemptContext, end: AttemptEnd): AttemptEnd {
  if (end.message === undefined) return end;
  const workspacePath = deps.journal.get(ref)?.progress.workspacePath;
  return {
    ...end,
    message: readableReason(end.message, { dataDir: deps.settings.dataDir, workspacePath }),
  };
}

async function flushed({ ref, deps }: AttemptContext): Promise<void> {
  const { spool, clock, uplink } = deps;
  const endMs = clock.monotonicMs() + FLUSH_LIMIT_MS;
  for (;;) {
    const stream = spool.stream(ref);
    if (stream === null || stream.ackedSeq === stream.spooledSeq) return;
    if (clock.monotonicMs() >= endMs) return;
    uplink.ended();
    await sleep(clock, FLUSH_POLL_MS);
  }
}

function givenBack(order: StopOrder | null): GivenBack {
  if (order?.kind === 'release') return { why: order.why, orderly: order.orderly };
  const expired = order?.kind === 'lease_expired';
  const why = expired ? 'the lease ended without a renewal' : (order?.kind ?? 'no stream');
  return { why, orderly: false };
}
