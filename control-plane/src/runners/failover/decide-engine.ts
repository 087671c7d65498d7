import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';

/** Why an issue waits: a code for decisions and a reason for people. */
export type Why = { code: ReasonCode; reason: string };

/** A paused upstream; `open` when it may be tried again and no canary is running. */
export type PausedUpstream = {
  upstream: string;
  why: Why;
  open: boolean;
  /** When it may be tried again, epoch milliseconds. */
  dueAtMs: number;
  /** Key of the issue that failed there last. */
  failedKey: string | null;
};

/** One choice of an issue's chain, as the decision needs it. */
export type ChainEntry = {
  /** Name of the choice. */
  name: string;
  /** Engine that a runner must have. */
  engine: string;
  /** Name under which the choice's provider account is paused. */
  upstream: string;
  /** Why the choice cannot be used with the present configuration; null when it can. */
  unready: Why | null;
};

/** Engines that a runner lacks but may get. */
export type AwaitedEngines = {
  fetching: readonly string[];
  /** Engines that the runner could not download, with the reason. */
  failed: readonly {
    name: string;
    problem: string;
    /** The engine is installed but cannot be used for this work. */
    isThere?: boolean;
  }[];
};

export type EngineDecision =
  | { kind: 'use'; entry: ChainEntry; pause: PausedUpstream | null }
  /**
   * `retryAtMs`: when the first account may be tried again, epoch milliseconds; null when not
   * known.
   */
  | { kind: 'wait'; why: Why; retryAtMs: number | null };

/**
 * Chooses the first entry of a chain whose account is not paused. After its reset time an account
 * is tried by a single canary, so that work returns to the first choice.
 *
 * The first choice waits for a runner with its engine and for its settings; later ones that lack
 * either are skipped. If every account is paused the issue waits: no choice is retried before its
 * account's reset. Pure.
 */
export function decideEngine(input: {
  chain: readonly ChainEntry[];
  paused: ReadonlyMap<string, PausedUpstream>;
  /** Engines of the runners that may run the issue; null: not checked. */
  engines: ReadonlySet<string> | null;
  /** What each of these runners still has to download; left out: nothing. */
  awaited?: readonly AwaitedEngines[];
  nowMs: number;
}): EngineDecision {
  const pauses: { name: string; pause: PausedUpstream }[] = [];
  for (const [index, entry] of input.chain.entries()) {
    const pause = input.paused.get(entry.upstream) ?? null;
    if (pause !== null && !pause.open) {
      pauses.push({ name: entry.name, pause });
      continue;
    }
    const lacks = entry.unready ?? whyNoRunner(entry, input.engines, input.awaited);
    if (lacks === null) return { kind: 'use', entry, pause };
    if (index === 0) return { kind: 'wait', why: lacks, retryAtMs: null };
  }
  const dueAtMs = pauses.map(({ pause }) => pause.dueAtMs).filter((atMs) => atMs > input.nowMs);
  return {
    kind: 'wait',
    why: whyAllPaused(pauses),
    retryAtMs: dueAtMs.length === 0 ? null : Math.min(...dueAtMs),
  };
}

/** Why no runner can serve a choice; null when one can. */
export function whyNoRunner(
  { engine }: Pick<ChainEntry, 'engine'>,
  engines: ReadonlySet<string> | null,
  awaited: readonly AwaitedEngines[] = [],
): Why | null {
  if (engines === null || engines.has(engine)) return null;
  if (awaited.some(({ fetching }) => fetching.includes(engine))) {
    const reason = `waiting for a runner that is fetching the agent engine ${engine}`;
    return { code: 'runner_engine_fetching', reason };
  }
  const failure = awaited.flatMap(({ failed }) => failed).find(({ name }) => name === engine);
  const lead = failure?.isThere === true ? '' : 'a runner could not fetch it: ';
  const why = failure === undefined ? '' : `; ${lead}${failure.problem}`;
  const reason = `waiting for a runner with the agent engine ${engine}${why}`;
  return { code: 'runner_engine_missing', reason };
}

function whyAllPaused(pauses: readonly { name: string; pause: PausedUpstream }[]): Why {
  const [only] = pauses;
  if (only !== undefined && pauses.length === 1) return only.pause.why;
  const each = pauses.map(({ name, pause }) => `${name}: ${pause.why.reason}`);
  return { code: 'providers_paused', reason: each.join('; ') };
}
