export type EngineRunner = {
  runnerId: string;
  /** It has a socket here. */
  connected: boolean;
  draining: boolean;
  /** Attempts that it was offered or holds. */
  attempts: number;
};

export type ThreadPlace = {
  runnerId: string;
  /** Its attempt goes on: no other engine can speak for it. */
  live: boolean;
};

export type RunnerChoice =
  | { kind: 'runner'; runnerId: string }
  /** The caller named a runner that there is none of. */
  | { kind: 'unknown_runner' }
  | { kind: 'unavailable'; message: string };

/**
 * Whose engine answers: the one that works on the thread, the one that the caller named, the one
 * that last worked on the thread, or else that of the least busy runner.
 */
export function chooseRunner(input: {
  runners: readonly EngineRunner[];
  wanted: string | undefined;
  thread: ThreadPlace | null;
}): RunnerChoice {
  const { runners, wanted, thread } = input;
  if (wanted !== undefined && !runners.some(({ runnerId }) => runnerId === wanted)) {
    return { kind: 'unknown_runner' };
  }
  const named = thread?.live === true ? thread.runnerId : wanted;
  if (named !== undefined) {
    const isHere = runners.some(({ runnerId, connected }) => runnerId === named && connected);
    return isHere
      ? { kind: 'runner', runnerId: named }
      : { kind: 'unavailable', message: `runner ${named} is not connected` };
  }
  const here = runners.filter(({ connected }) => connected);
  const last = here.find(({ runnerId }) => runnerId === thread?.runnerId);
  const chosen = last ?? here.toSorted(byLoad)[0];
  return chosen === undefined
    ? { kind: 'unavailable', message: 'no runner is connected whose agent engine could answer' }
    : { kind: 'runner', runnerId: chosen.runnerId };
}

function byLoad(a: EngineRunner, b: EngineRunner): number {
  return (
    Number(a.draining) - Number(b.draining) ||
    a.attempts - b.attempts ||
    (a.runnerId < b.runnerId ? -1 : 1)
  );
}
