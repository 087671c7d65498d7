/** Something on this host that runs for an attempt: a process, or a container. */
export type AttemptTrace = {
  attemptId: string;
  /** `attempt-epoch-runner`. */
  lease: string;
  /** The agent engine itself, not what it or the runner started for it. */
  isEngine: boolean;
  /** It runs; a container may also just be there. */
  isRunning: boolean;
  /** What it is, on one line. */
  words: string;
  /** Whether the very same one runs still. */
  livesOn(): Promise<boolean>;
};

/** Everything on this host that runs, or is left, of attempts of these runners. */
export type FindTraces = (runnerIds: ReadonlySet<string>) => Promise<AttemptTrace[]>;
