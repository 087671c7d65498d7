import { findState, isOneOf } from '../../../ports/tracker/find-state.ts';
import type { StateRoles } from '../../../ports/tracker/tracker.ts';

/** The fields of GitHub's issue that determine its state. */
export type RawState = {
  state: 'open' | 'closed';
  reason: string | null;
  labels: readonly string[];
};

/** State of an open issue without a state label. */
export const OPEN = 'Open';
const PRIORITY_LABEL = /^priority[:/ ]\s*([1-4])$/i;

/** Every state that an issue may have; those of open issues are labels. */
export function stateNames(roles: StateRoles): string[] {
  const roleStates = [roles.started, roles.review, roles.blocked].filter((name) => name !== null);
  const names: string[] = [];
  for (const name of [...roles.active, ...roleStates, ...roles.terminal, OPEN]) {
    if (!isOneOf(name, names)) names.push(name);
  }
  return names;
}

/** An issue's state: from its label, else from whether and why it is closed. */
export function stateOf(raw: RawState, roles: StateRoles): string {
  const names = stateNames(roles);
  const labelled = raw.labels.flatMap((label) => findState(names, label) ?? []);
  const isTerminal = (name: string) => isOneOf(name, roles.terminal);
  if (raw.state === 'open') return labelled.find((name) => !isTerminal(name)) ?? OPEN;
  return labelled.find(isTerminal) ?? closedState(raw.reason, roles.terminal);
}

/** The labels with the state of a project's field in place of state labels. */
export function withProjectState(
  labels: readonly string[],
  state: string | undefined,
  roles: StateRoles,
): string[] {
  const names = stateNames(roles);
  const others = labels.filter((label) => !isOneOf(label, names));
  return state === undefined ? others : [...others, state];
}

/** The changes that put an issue into a state. Labels that are no states stay. */
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

/** The labels without those for a state or a priority. */
export function plainLabels(labels: readonly string[], roles: StateRoles): string[] {
  const names = stateNames(roles);
  return labels.filter((label) => !isOneOf(label, names) && !PRIORITY_LABEL.test(label));
}

/** Priority 1 to 4 from a label such as `priority: 1`; null without one. */
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
