import type { LocalState } from '@switchyard/shared/api/work/local-issue';

/**
 * The built-in tracker's states in board order. A copy that a test compares with the contract:
 * importing the contract's own list would add the schema library to the bundle.
 */
export const LOCAL_STATES = [
  'Backlog',
  'Todo',
  'In Progress',
  'In Review',
  'Done',
  'Canceled',
] as const satisfies readonly LocalState[];

/** Those of them in which no work is left. */
export const LOCAL_ENDED_STATES: ReadonlySet<string> = new Set<LocalState>(['Done', 'Canceled']);
