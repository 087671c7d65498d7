import type { Why } from '../runners/failover/decide-engine.ts';

export type DispatchCaps = {
  maxConcurrentAgents: number;
  /** Limits by tracker state in lower case. */
  maxConcurrentAgentsByState: Readonly<Record<string, number>>;
  requiredLabels: readonly string[];
};

/** Why an issue waits when all slots of every runner that may take it are taken. */
export const RUNNERS_FULL: Why = {
  code: 'slots_full',
  reason: 'waiting for a slot: every matching runner is full',
};

/**
 * Why an issue waits for a slot: the limit on running agents is reached, in total or for its tracker
 * state. Null when it is not. `running`: tracker states of the issues that hold a slot, lower case.
 */
export function decideSlotsFull(
  issue: { state: string },
  running: readonly string[],
  caps: DispatchCaps,
): Why | null {
  if (running.length >= caps.maxConcurrentAgents) {
    const reason = `waiting for a slot: ${running.length} of ${caps.maxConcurrentAgents} agents are running`;
    return { code: 'slots_full', reason };
  }
  const state = issue.state.trim().toLowerCase();
  const cap = caps.maxConcurrentAgentsByState[state];
  const inState = running.filter((name) => name === state).length;
  if (cap !== undefined && inState >= cap) {
    const reason = `waiting for a slot: ${inState} of ${cap} agents are running in ${issue.state}`;
    return { code: 'slots_full', reason };
  }
  return null;
}
