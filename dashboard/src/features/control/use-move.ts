import { useQueryClient } from '@tanstack/react-query';
import { moveIssue } from '../../api/actions.ts';
import { ApiError } from '../../api/api.ts';
import { runUndoable } from '../../ui/overlays/run-undoable.ts';
import { askToStop } from './ask-to-stop.ts';
import { type IssueRef, nameOf } from './issue-ref.ts';
import { showMoved } from './show-moved.ts';
import { SKIPPED, runForAll } from './run-for-all.ts';

type MoveNow = (
  issues: readonly IssueRef[],
  to: string,
  options?: { stopRunning: boolean },
) => Promise<void>;

/**
 * Moves issues to a state after an undo period, since a move may start agents or discard work. For
 * running issues, the question about a stop is asked at once.
 */
export function useMove(): (issues: readonly IssueRef[], to: string) => void {
  const moveNow = useMoveNow();
  return (issues, to) => {
    const running = issues.filter(({ status }) => status === 'running');
    const resting = issues.filter(({ status }) => status !== 'running');
    if (running.length > 0) void moveNow(running, to);
    if (resting.length === 0) return;
    const those = (about: readonly string[]) =>
      resting.filter(({ identifier }) => about.includes(identifier));
    runUndoable({
      about: resting.map(({ identifier }) => identifier),
      text: (about) => `Moving ${nameOf(those(about))} to ${to}`,
      run: (about) => moveNow(those(about), to),
      leave: (identifier) => moveIssue(identifier, { to, stopRunning: false }),
      to,
    });
  };
}

/**
 * Moves issues on the page at once, and back if the service refuses. Only the service knows
 * reliably whether a move stops a run, since the page may be outdated: then a person is asked.
 */
export function useMoveNow(): MoveNow {
  const client = useQueryClient();
  return async (issues, to, { stopRunning } = { stopRunning: false }) => {
    // A list that is being fetched would overwrite the shown move.
    await Promise.all(
      ['state', 'local-issues'].map((area) => client.cancelQueries({ queryKey: [area] })),
    );
    for (const { identifier, status, state } of issues) {
      // A running issue will probably need confirmation and stays in place until then.
      if (stopRunning || status !== 'running') showMoved(client, identifier, state, to);
    }
    const move = async (identifier: string, issue: IssueRef) => {
      try {
        return await moveIssue(identifier, { to, stopRunning });
      } catch (error) {
        showMoved(client, identifier, to, issue.state);
        if (!(error instanceof ApiError && error.code === 'stops_run')) throw error;
        askToStop(issue, to);
        return SKIPPED;
      }
    };
    await runForAll(client, issues, move, `moved to ${to}`);
  };
}
