import type { Issue } from '@switchyard/shared/api/work/issue';
import type { Pending } from '../../ui/overlays/run-undoable.ts';

/** Issues in the state that they will have after the pending moves, which can still be undone. */
export function withPending(issues: readonly Issue[], pending: readonly Pending[]): Issue[] {
  const states = new Map(
    pending.flatMap(({ about, to }) => (to === undefined ? [] : about.map((one) => [one, to]))),
  );
  return issues.map((issue) => {
    const state = states.get(issue.identifier);
    return state === undefined ? issue : { ...issue, state };
  });
}
