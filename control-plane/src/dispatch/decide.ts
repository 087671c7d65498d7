import { priorityRank } from '@switchyard/shared/priority-rank';
import { mayHaveIssue, wantedRunnerLabels } from '@switchyard/shared/protocol/runner-labels';
import {
  type AwaitedEngines,
  type ChainEntry,
  decideEngine,
  type PausedUpstream,
  type Why,
  whyNoRunner,
} from '../runners/failover/decide-engine.ts';
import { decideSlotsFull, type DispatchCaps, RUNNERS_FULL } from './decide-slots-full.ts';

/** An issue that is waiting to be dispatched. */
export type Candidate = {
  key: string;
  identifier: string;
  priority: number | null;
  createdAtMs: number;
  /** Tracker state, for the per-state cap. */
  state: string;
  labels: readonly string[];
  /** Identifiers of blockers that are not terminal. */
  blockers: readonly string[];
  /** What it waits for in its sub-issues, for people; null: for nothing. */
  openParts: string | null;
  /**
   * The cycle of blockers and sub-issues that leads back to the issue, as `A → B → A`; null when
   * there is none.
   */
  circle: string | null;
  /** Why the issue cannot run with the present configuration, for people; null when it can. */
  unready: Why | null;
  /** Runner that holds the issue's workspace from an earlier attempt. */
  lastRunnerId: string | null;
  /**
   * Runner that could not start the issue because of a fault of its own; chosen only if no other
   * runner may run the issue.
   */
  unfitRunnerId: string | null;
  /** What its runner must be able to do beyond the protocol's version; null: nothing. */
  feature: string | null;
  /** Whether an agent engine works on it. */
  needsEngine: boolean;
  /** Upstreams that the issue needs with any engine, named as in `pausedUpstreams`. */
  upstreams: readonly string[];
  /** Choices of engine and account, in the order in which they are tried. */
  chain: readonly ChainEntry[];
};

export type AvailableRunner = {
  runnerId: string;
  freeSlots: number;
  labels: readonly string[];
  /** What it can do beyond the protocol's version; left out: nothing. */
  features?: readonly string[];
  /** What the runner lacks of the required isolation, for people; null when it lacks nothing. */
  tooWeak: string | null;
  /** Names of the agent engines that the runner has or can fetch. */
  engines: readonly string[];
  /** Engines among these that the runner must download first; left out: none. */
  fetchable?: readonly string[];
} & Partial<AwaitedEngines>;

export type DispatchInput = {
  candidates: readonly Candidate[];
  runners: readonly AvailableRunner[];
  /** Tracker states of the issues whose attempts occupy a slot. */
  runningStates: readonly string[];
  caps: DispatchCaps;
  pausedUpstreams: readonly PausedUpstream[];
  /** Why nothing may be dispatched; null when the service is not paused. */
  paused: Why | null;
  nowMs: number;
};

export type DispatchDecision = {
  /**
   * `choice` names the chosen entry of the chain; `canaryOf` names the paused upstreams that this
   * attempt tests.
   */
  assign: { key: string; runnerId: string; choice: string; canaryOf: string[] }[];
  /** `eligible` is false when the issue itself or its configuration prevents a start. */
  wait: (Why & { key: string; eligible: boolean })[];
};

/** Sorts by priority (1 to 4 first, everything else last), then age, then identifier. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    priorityRank(a.priority) - priorityRank(b.priority) ||
    a.createdAtMs - b.createdAtMs ||
    (a.identifier < b.identifier ? -1 : a.identifier > b.identifier ? 1 : 0)
  );
}

/**
 * Chooses a runner and an engine for each issue that may start. Pure: equal input gives equal
 * output.
 */
export function decideDispatch(input: DispatchInput): DispatchDecision {
  const decision: DispatchDecision = { assign: [], wait: [] };
  const free = new Map(input.runners.map((runner) => [runner.runnerId, runner.freeSlots]));
  const paused = new Map(input.pausedUpstreams.map((pause) => [pause.upstream, pause]));
  const running = input.runningStates.map((state) => state.trim().toLowerCase());
  for (const candidate of inTurn(input)) {
    const ineligible = whyIneligible(candidate, input.caps.requiredLabels);
    if (ineligible !== null) {
      decision.wait.push({ key: candidate.key, ...ineligible, eligible: false });
      continue;
    }
    const chosen = choose(candidate, { input, paused, running, free });
    if ('reason' in chosen) {
      decision.wait.push({ key: candidate.key, ...chosen, eligible: true });
      continue;
    }
    // One canary tests the upstream; the other issues wait for its result or take their next
    // choice.
    for (const pause of chosen.pauses) paused.set(pause.upstream, { ...pause, open: false });
    free.set(chosen.runnerId, (free.get(chosen.runnerId) ?? 0) - 1);
    running.push(candidate.state.trim().toLowerCase());
    decision.assign.push({
      key: candidate.key,
      runnerId: chosen.runnerId,
      choice: chosen.choice,
      canaryOf: chosen.pauses.map((pause) => pause.upstream),
    });
  }
  return decision;
}

type Standing = {
  input: DispatchInput;
  paused: ReadonlyMap<string, PausedUpstream>;
  running: readonly string[];
  free: ReadonlyMap<string, number>;
};

function choose(
  candidate: Candidate,
  { input, paused, running, free }: Standing,
): { runnerId: string; choice: string; pauses: PausedUpstream[] } | Why {
  const pauses = candidate.upstreams.flatMap((name) => paused.get(name) ?? []);
  const { chain } = candidate;
  const closed = input.paused ?? whyClosed(pauses);
  if (closed !== null) return closed;
  const engines = enginesFor(candidate, input.runners);
  const engine = decideEngine({ chain, paused, ...engines, nowMs: input.nowMs });
  // A reason that a person can act on takes precedence over full slots.
  if (engine.kind === 'wait') return engine.why;
  const full = decideSlotsFull(candidate, running, input.caps);
  const runner = full ?? chooseRunner(candidate, engine.entry, input.runners, free);
  if ('reason' in runner) return runner;
  return {
    runnerId: runner.runnerId,
    choice: engine.entry.name,
    pauses: [...pauses, ...(engine.pause === null ? [] : [engine.pause])],
  };
}

/**
 * Engines of the runners that may run the issue; null if there are none, so that the missing runner
 * is reported instead of a missing engine.
 */
function enginesFor(
  candidate: Candidate,
  runners: readonly AvailableRunner[],
): { engines: ReadonlySet<string> | null; awaited: AwaitedEngines[] } {
  const mayTake = runners.filter(
    ({ labels, tooWeak }) => tooWeak === null && mayHaveIssue(labels, candidate.labels),
  );
  return {
    engines:
      mayTake.length === 0 || !candidate.needsEngine
        ? null
        : new Set(mayTake.flatMap(({ engines }) => engines)),
    awaited: mayTake.map(({ fetching = [], failed = [] }) => ({ fetching, failed })),
  };
}

/**
 * Candidates in dispatch order; an issue that last failed on a paused upstream comes last, so that
 * another issue becomes its canary if possible.
 */
function inTurn({ candidates, pausedUpstreams }: DispatchInput): Candidate[] {
  const failed = new Set(
    pausedUpstreams
      .filter(({ open }) => open)
      .map(({ upstream, failedKey }) => `${upstream} ${failedKey}`),
  );
  const failedLast = ({ key, upstreams, chain }: Candidate) =>
    [...upstreams, ...chain.map(({ upstream }) => upstream)].some((upstream) =>
      failed.has(`${upstream} ${key}`),
    )
      ? 1
      : 0;
  return candidates.toSorted((a, b) => failedLast(a) - failedLast(b) || compareCandidates(a, b));
}

function whyIneligible(candidate: Candidate, requiredLabels: readonly string[]): Why | null {
  // What a pull request is queued for has its order already, and labels are for work.
  if (candidate.feature !== null) return candidate.unready;
  if (candidate.circle !== null) {
    const reason = `waits for itself, each for the next: ${candidate.circle}`;
    return { code: 'blocked_by_circle', reason };
  }
  // Before its blockers: they order the start of work, and the sub-issues are the work.
  if (candidate.openParts !== null) {
    return { code: 'sub_issues_open', reason: candidate.openParts };
  }
  if (candidate.blockers.length > 0) {
    const reason = `blocked by ${candidate.blockers.join(', ')}`;
    return { code: 'blocked_by_issues', reason };
  }
  const has = new Set(candidate.labels.map((label) => label.trim().toLowerCase()));
  // A blank required label matches nothing, so that an empty setting never widens what runs.
  const missing = requiredLabels.filter((label) => !has.has(label.trim().toLowerCase()));
  if (missing.length > 0) {
    return { code: 'label_missing', reason: `waiting for the label ${missing.join(', ')}` };
  }
  return candidate.unready;
}

function whyClosed(pauses: readonly PausedUpstream[]): Why | null {
  return pauses.find((pause) => !pause.open)?.why ?? null;
}

function chooseRunner(
  candidate: Candidate,
  entry: ChainEntry,
  runners: readonly AvailableRunner[],
  free: ReadonlyMap<string, number>,
): { runnerId: string } | Why {
  if (runners.length === 0) {
    return { code: 'runner_missing', reason: 'waiting for a runner: none is connected' };
  }
  const labelled = runners.filter((runner) => mayHaveIssue(runner.labels, candidate.labels));
  if (labelled.length === 0) {
    const wanted = wantedRunnerLabels(candidate.labels);
    const reason = `waiting for a runner with the label ${wanted.join(', ')}`;
    return { code: 'runner_label_missing', reason };
  }
  const matching = labelled.filter(({ tooWeak }) => tooWeak === null);
  if (matching.length === 0) {
    const reason = `waiting for a runner that ${labelled[0]?.tooWeak}`;
    return { code: 'runner_too_weak', reason };
  }
  const { feature, needsEngine } = candidate;
  const featured = matching.filter(
    ({ features = [] }) => feature === null || features.includes(feature),
  );
  if (featured.length === 0) {
    const reason = `waiting for a newer runner: none that is connected has the feature ${feature}`;
    return { code: 'runner_missing', reason };
  }
  const able = needsEngine
    ? featured.filter(({ engines }) => engines.includes(entry.engine))
    : featured;
  const others = able.filter(({ runnerId }) => runnerId !== candidate.unfitRunnerId);
  const capable = others.length === 0 ? able : others;
  const engines = new Set(capable.flatMap((runner) => runner.engines));
  const lacking = needsEngine ? whyNoRunner(entry, engines) : null;
  if (lacking !== null) return lacking;
  const open = capable
    .filter((runner) => (free.get(runner.runnerId) ?? 0) > 0)
    .toSorted((a, b) => (free.get(b.runnerId) ?? 0) - (free.get(a.runnerId) ?? 0));
  const equipped = open.filter(({ fetchable = [] }) => !fetchable.includes(entry.engine));
  const choices = equipped.length === 0 ? open : equipped;
  const warm = choices.find((runner) => runner.runnerId === candidate.lastRunnerId);
  const best = warm ?? choices[0];
  return best === undefined ? RUNNERS_FULL : { runnerId: best.runnerId };
}
