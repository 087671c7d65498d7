export type EngineRunner = {
  runnerId: string;
  /** The runner is connected to this instance. */
  connected: boolean;
  draining: boolean;
  /** Number of attempts that the runner was offered or holds. */
  attempts: number;
  engines: readonly {
    name: string;
    /**
     * Null if the runner does not report them; its engine then refuses what it does not support.
     */
    capabilities: { operator: boolean } | null;
    /** How an engine that is not installed yet becomes available; left out when it is installed. */
    state?: string | undefined;
  }[];
};

export type ThreadPlace = {
  runnerId: string;
  engine: string;
  /** The thread's attempt is running, so that only its engine can answer. */
  live: boolean;
};

export type RunnerChoice =
  | { kind: 'runner'; runnerId: string }
  /** The caller named a runner that does not exist. */
  | { kind: 'unknown_runner' }
  /** The engine exists but serves no operators. */
  | { kind: 'unsupported'; message: string }
  | { kind: 'unavailable'; message: string };

/**
 * Chooses the runner whose engine performs an operation: the one working on the thread, else the
 * named one, the one that last worked on the thread, or the least busy one with the engine. A
 * runner that would have to download the engine comes last.
 */
export function chooseRunner(input: {
  runners: readonly EngineRunner[];
  wanted: string | undefined;
  thread: ThreadPlace | null;
  /** Engine by name; undefined: any engine. */
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

/** The first runner with the engine; `unsupported` if the engine serves no operators. */
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
