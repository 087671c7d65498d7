import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { mayHaveIssue, wantedRunnerLabels } from '@switchyard/shared/protocol/runner-labels';

/** Why an issue waits: for decisions, and in words. */
export type Why = { code: ReasonCode; reason: string };

/** An issue that might get a runner now. */
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
  /** Why it cannot be run as it is configured, in words; null when it can. */
  unready: Why | null;
  /** Runner that has its workspace. */
  lastRunnerId: string | null;
  /** Upstreams it needs, as `pausedUpstreams` names them. */
  upstreams: readonly string[];
};

/** An upstream that is paused; `open` when it is due and no canary is on its way. */
export type PausedUpstream = {
  upstream: string;
  why: Why;
  open: boolean;
  /** Issue that failed there last. */
  failedKey: string | null;
};

export type AvailableRunner = {
  runnerId: string;
  freeSlots: number;
  labels: readonly string[];
  /** What it lacks of the isolation that is asked for, in words; null when it has it. */
  tooWeak: string | null;
};

export type DispatchCaps = {
  maxConcurrentAgents: number;
  /** By tracker state, lower case. */
  maxConcurrentAgentsByState: Readonly<Record<string, number>>;
  requiredLabels: readonly string[];
};

export type DispatchInput = {
  candidates: readonly Candidate[];
  runners: readonly AvailableRunner[];
  /** Tracker states of the issues whose attempts hold a slot now. */
  runningStates: readonly string[];
  caps: DispatchCaps;
  pausedUpstreams: readonly PausedUpstream[];
  /** Why nothing may start at all; null when the service is not paused. */
  paused: Why | null;
};

export type DispatchDecision = {
  /** `canaryOf` names the paused upstreams that this one tries out. */
  assign: { key: string; runnerId: string; canaryOf: string[] }[];
  /** `eligible` false: it could not run even with a free slot. */
  wait: (Why & { key: string; eligible: boolean })[];
};

/** Priority 1 to 4 first, everything else last; then oldest; then identifier. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  const rank = (priority: number | null) =>
    priority !== null && priority >= 1 && priority <= 4 ? priority : 5;
  return (
    rank(a.priority) - rank(b.priority) ||
    a.createdAtMs - b.createdAtMs ||
    (a.identifier < b.identifier ? -1 : a.identifier > b.identifier ? 1 : 0)
  );
}

/** Chooses who runs where. Pure: the same input always gives the same answer. */
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
    const pauses = candidate.upstreams.flatMap((name) => paused.get(name) ?? []);
    const full = input.paused ?? whyClosed(pauses) ?? whyFull(candidate, running, input.caps);
    const chosen = full ?? chooseRunner(candidate, input.runners, free);
    if ('reason' in chosen) {
      decision.wait.push({ key: candidate.key, ...chosen, eligible: true });
      continue;
    }
    // One canary goes first; the others wait for what it finds.
    for (const pause of pauses) paused.set(pause.upstream, { ...pause, open: false });
    free.set(chosen.runnerId, (free.get(chosen.runnerId) ?? 0) - 1);
    running.push(candidate.state.trim().toLowerCase());
    decision.assign.push({
      key: candidate.key,
      runnerId: chosen.runnerId,
      canaryOf: pauses.map((pause) => pause.upstream),
    });
  }
  return decision;
}

/** First come, first served; but whoever an upstream failed last is its canary only if no other can be. */
function inTurn({ candidates, pausedUpstreams }: DispatchInput): Candidate[] {
  const failed = new Set(
    pausedUpstreams.map(({ upstream, failedKey }) => `${upstream} ${failedKey}`),
  );
  const failedLast = ({ key, upstreams }: Candidate) =>
    upstreams.some((upstream) => failed.has(`${upstream} ${key}`)) ? 1 : 0;
  return candidates.toSorted((a, b) => failedLast(a) - failedLast(b) || compareCandidates(a, b));
}

function whyIneligible(candidate: Candidate, requiredLabels: readonly string[]): Why | null {
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

function whyFull(candidate: Candidate, running: readonly string[], caps: DispatchCaps): Why | null {
  if (running.length >= caps.maxConcurrentAgents) {
    const reason = `waiting for a slot: ${running.length} of ${caps.maxConcurrentAgents} agents are running`;
    return { code: 'slots_full', reason };
  }
  const state = candidate.state.trim().toLowerCase();
  const cap = caps.maxConcurrentAgentsByState[state];
  const inState = running.filter((name) => name === state).length;
  if (cap !== undefined && inState >= cap) {
    const reason = `waiting for a slot: ${inState} of ${cap} agents are running in ${candidate.state}`;
    return { code: 'slots_full', reason };
  }
  return null;
}

function chooseRunner(
  candidate: Candidate,
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
  const open = matching
    .filter((runner) => (free.get(runner.runnerId) ?? 0) > 0)
    .toSorted((a, b) => (free.get(b.runnerId) ?? 0) - (free.get(a.runnerId) ?? 0));
  const warm = open.find((runner) => runner.runnerId === candidate.lastRunnerId);
  const best = warm ?? open[0];
  return best === undefined
    ? { code: 'slots_full', reason: 'waiting for a slot: every matching runner is full' }
    : { runnerId: best.runnerId };
}
