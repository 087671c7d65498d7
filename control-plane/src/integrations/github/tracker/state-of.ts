import { findState, isOneOf } from '../../../ports/tracker/find-state.ts';
import type { StateRoles } from '../../../ports/tracker/tracker.ts';

/** What GitHub says of an issue's state. */
export type RawState = {
  state: 'open' | 'closed';
  reason: string | null;
  labels: readonly string[];
};

/** State of an open issue that carries no label of a state. */
export const OPEN = 'Open';
const PRIORITY_LABEL = /^priority[:/ ]\s*([1-4])$/i;

/** Every state an issue may have: those of open issues are labels. */
export function stateNames(roles: StateRoles): string[] {
  const roleStates = [roles.started, roles.review, roles.blocked].filter((name) => name !== null);
  const names: string[] = [];
  for (const name of [...roles.active, ...roleStates, ...roles.terminal, OPEN]) {
    if (!isOneOf(name, names)) names.push(name);
  }
  return names;
}

/** The state that an issue is in: by its label, else by whether and why it is closed. */
export function stateOf(raw: RawState, roles: StateRoles): string {
  const names = stateNames(roles);
  const labelled = raw.labels.flatMap((label) => findState(names, label) ?? []);
  const isTerminal = (name: string) => isOneOf(name, roles.terminal);
  if (raw.state === 'open') return labelled.find((name) => !isTerminal(name)) ?? OPEN;
  return labelled.find(isTerminal) ?? closedState(raw.reason, roles.terminal);
}

/** Labels as if the state of a project's field stood among them; labels of states do not count. */
export function withProjectState(
  labels: readonly string[],
  state: string | undefined,
  roles: StateRoles,
): string[] {
  const names = stateNames(roles);
  const others = labels.filter((label) => !isOneOf(label, names));
  return state === undefined ? others : [...others, state];
}

/** What an issue must become to be in a state. Labels that are no states stay. */
export function asState(
  raw: RawState,
  wanted: string,
  roles: StateRoles,
): { state: 'open' | 'closed'; reason: string | null; labels: string[] } {
  const names = stateNames(roles);
  const others = raw.labels.filter((label) => !isOneOf(label, names));
  if (!isOneOf(wanted, roles.terminal)) {
    const labels = wanted === OPEN && !isOneOf(OPEN, roles.active) ? others : [...others, wanted];
    return { state: 'open', reason: raw.state === 'closed' ? 'reopened' : null, labels };
  }
  const reason = /^(done|closed|completed|merged|released)$/i.test(wanted.trim())
    ? 'completed'
    : 'not_planned';
  const isPlain = closedState(reason, roles.terminal) === wanted;
  return { state: 'closed', reason, labels: isPlain ? others : [...others, wanted] };
}

/** Labels of people, without those that stand for a state or a priority. */
export function plainLabels(labels: readonly string[], roles: StateRoles): string[] {
  const names = stateNames(roles);
  return labels.filter((label) => !isOneOf(label, names) && !PRIORITY_LABEL.test(label));
}

/** 1 to 4 from a label such as `priority: 1`; null without one. */
export function priorityOf(labels: readonly string[]): number | null {
  const found = labels.flatMap((label) => PRIORITY_LABEL.exec(label)?.[1] ?? []);
  return found[0] === undefined ? null : Number(found[0]);
}

export function priorityLabel(priority: number): string {
  return `priority: ${priority}`;
}

function closedState(reason: string | null, terminal: readonly string[]): string {
  const cancelled = terminal.find((name) =>
    /^(cancell?ed|not planned|wontfix)$/i.test(name.trim()),
  );
  const done = findState(terminal, 'Done') ?? findState(terminal, 'Closed');
  const [first = 'Closed'] = terminal;
  if (reason === 'duplicate') return findState(terminal, 'Duplicate') ?? cancelled ?? first;
  return reason === 'not_planned' ? (cancelled ?? first) : (done ?? first);
}
