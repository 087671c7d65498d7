import { type Clock, sleep } from './connection/clock.ts';
import type { Log } from './log.ts';

/** Time for the acknowledgement of spooled events before the process ends. */
const FLUSH_TIMEOUT_MS = 2_000;
/** Time for attempts to be ended and released. */
const RELEASE_TIMEOUT_MS = 6_000;
const POLL_MS = 50;

type HeldAttempt = {
  attemptId: string;
  containerId: string | null;
  ackedSeq: number;
  spooledSeq: number;
};

/** The parts of a runner that must end before its process. */
export type LeavingParts = {
  host: { releaseAll(why: string): void; isIdle(): boolean; held(): HeldAttempt[] };
  session: { wake(): void; readonly isWelcomed: boolean };
  proxies: { stopProcess(): Promise<void> };
  operator: { stop(): Promise<void> };
};

/**
 * Shuts the runner down: attempts end only when requested, and pending messages are sent while time
 * allows. What does not end in time is logged: the next start finds it in the journal and removes
 * it.
 */
export async function leaveRunner(
  parts: LeavingParts,
  { clock, log, endAttempts }: { clock: Clock; log: Log; endAttempts: boolean },
): Promise<void> {
  const { host, session, proxies, operator } = parts;
  const operatorEnds = Promise.race([operator.stop(), sleep(clock, RELEASE_TIMEOUT_MS)]);
  if (endAttempts) {
    host.releaseAll('the runner was stopped');
    await until(clock, RELEASE_TIMEOUT_MS, () => host.isIdle());
  }
  await operatorEnds;
  if (host.isIdle()) await proxies.stopProcess();
  else if (endAttempts) nameWhatIsLeft(host.held(), log);
  session.wake();
  const quiet = () =>
    !session.isWelcomed || host.held().every((item) => item.ackedSeq === item.spooledSeq);
  await until(clock, FLUSH_TIMEOUT_MS, quiet);
}

function nameWhatIsLeft(held: readonly HeldAttempt[], log: Log): void {
  log.error('some attempts did not end in time; the next start of this runner removes them', {
    attempts: held.map(({ attemptId }) => attemptId).join(', '),
    containers: held.flatMap(({ containerId }) => containerId ?? []).join(', '),
    proxy: 'left running for them',
  });
}

async function until(clock: Clock, limitMs: number, done: () => boolean): Promise<void> {
  const endMs = clock.monotonicMs() + limitMs;
  while (!done() && clock.monotonicMs() < endMs) await sleep(clock, POLL_MS);
}
