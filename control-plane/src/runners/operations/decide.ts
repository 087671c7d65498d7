export type EngineRunner = {
  runnerId: string;
  /** It has a socket here. */
  connected: boolean;
  draining: boolean;
  /** Attempts that it was offered or holds. */
  attempts: number;
  engines: readonly {
    name: string;
    /** Null: the runner does not tell; its engine will say what it does not support. */
    capabilities: { operator: boolean } | null;
    /** Where it is not there yet: how it comes. */
    state?: string | undefined;
  }[];
};

export type ThreadPlace = {
  runnerId: string;
  engine: string;
  /** Its attempt goes on: no other engine can speak for it. */
  live: boolean;
};

export type RunnerChoice =
  | { kind: 'runner'; runnerId: string }
  /** The caller named a runner that there is none of. */
  | { kind: 'unknown_runner' }
  /** The engine is there and answers no operators. */
  | { kind: 'unsupported'; message: string }
  | { kind: 'unavailable'; message: string };

/**
 * Whose engine answers: the one that works on the thread, the one that the caller named, the one
 * that last worked on the thread, or else that of the least busy runner that has the engine; one
 * that would have to fetch it comes last.
 */
export function chooseRunner(input: {
  runners: readonly EngineRunner[];
  wanted: string | undefined;
  thread: ThreadPlace | null;
  /** Undefined: any does. */
  engine?: string | undefined;
}): RunnerChoice {
  const { runners, wanted, thread, engine } = input;
  if (wanted !== undefined && !runners.some(({ runnerId }) => runnerId === wanted)) {
    return { kind: 'unknown_runner' };
  }
  const here = runners.filter(({ connected }) => connected);
  const named = thread?.live === true ? thread.runnerId : wanted;
  if (named !== undefined) {
    const runner = here.find(({ runnerId }) => runnerId === named);
    return runner === undefined
      ? { kind: 'unavailable', message: `runner ${named} is not connected` }
      : fitting([runner], engine, `runner ${named} does not have the agent engine ${engine}`);
  }
  if (here.length === 0) {
    const message = 'no runner is connected whose agent engine could answer';
    return { kind: 'unavailable', message };
  }
  const last = here.filter(({ runnerId }) => runnerId === thread?.runnerId);
  const lacks = ({ engines }: EngineRunner) =>
    !engines.some(({ name, state }) => (engine ?? name) === name && state === undefined);
  const others = here.toSorted((a, b) => Number(lacks(a)) - Number(lacks(b)) || byLoad(a, b));
  return fitting(
    [...last, ...others],
    engine,
    `no connected runner has the agent engine ${engine}`,
  );
}

/** The first of these runners that has the engine, unless the engine answers no operators. */
function fitting(
  runners: readonly EngineRunner[],
  engine: string | undefined,
  missing: string,
): RunnerChoice {
  const found = runners.flatMap(({ runnerId, engines }) => {
    const own = engines.find(({ name }) => engine === undefined || name === engine);
    if (own === undefined) return engine === undefined ? [{ runnerId, answers: true }] : [];
    const answers = engine === undefined || own.capabilities?.operator !== false;
    return [{ runnerId, answers }];
  });
  const chosen = found.find(({ answers }) => answers);
  if (chosen !== undefined) return { kind: 'runner', runnerId: chosen.runnerId };
  return found.length === 0
    ? { kind: 'unavailable', message: missing }
    : {
        kind: 'unsupported',
        message: `the agent engine ${engine} answers no operators: it has no threads, account or models to ask for`,
      };
}

function byLoad(a: EngineRunner, b: EngineRunner): number {
  return (
    Number(a.draining) - Number(b.draining) ||
    a.attempts - b.attempts ||
    (a.runnerId < b.runnerId ? -1 : 1)
  );
}
