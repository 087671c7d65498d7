import type { LocalState } from '@switchyard/shared/api/work/local-issue';

/** The built-in tracker's states in board order. A copy, held to the contract's by a test: the
 * contract's own list would bring the schema library into the bundle. */
export const LOCAL_STATES = [
  'Backlog',
  'Todo',
  'In Progress',
  'In Review',
  'Done',
  'Canceled',
] as const satisfies readonly LocalState[];
