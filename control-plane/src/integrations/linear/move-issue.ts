import { findState, isOneOf } from '../../ports/tracker/find-state.ts';
import { type SeenMove, TrackerError } from '../../ports/tracker/tracker.ts';
import { MOVE_ISSUE, STATES_OF_ISSUE } from './api/documents.ts';
import type { LinearClient } from './api/linear-client.ts';

/** Names of the states of an issue's team. */
export async function statesOfIssue(ask: LinearClient, id: string): Promise<string[]> {
  const { issue } = await ask(STATES_OF_ISSUE, { id });
  return issue.team.states.nodes.map((state) => state.name);
}

/**
 * Moves an issue to its team's state of that name; a no-op when it is there. Returns what Linear
 * shows afterwards.
 */
export async function moveLinearIssue(
  ask: LinearClient,
  id: string,
  toState: string,
): Promise<SeenMove> {
  const { issue } = await ask(STATES_OF_ISSUE, { id });
  const before = issue.state.name;
  if (isOneOf(before, [toState])) return seenMove(before, issue);
  const states = issue.team.states.nodes;
  const name = findState(
    states.map((state) => state.name),
    toState,
  );
  const state = states.find((one) => one.name === name);
  if (state === undefined) {
    throw new TrackerError('status', `the team of the issue has no state named ${toState}`);
  }
  const { issueUpdate } = await ask(MOVE_ISSUE, { id, stateId: state.id });
  return seenMove(before, issueUpdate.issue ?? (await ask(STATES_OF_ISSUE, { id })).issue);
}

function seenMove(
  before: string,
  { state, updatedAt }: { state: { name: string }; updatedAt: number },
): SeenMove {
  return { before, state: state.name, updatedAtMs: updatedAt };
}
