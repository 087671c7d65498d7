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
 * Moves issues to a state, which may start agents or let go of work: unless it is taken back. What
 * runs is not waited for: whether that may stop is asked at once.
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
      words: (about) => `Moving ${nameOf(those(about))} to ${to}`,
      run: (about) => moveNow(those(about), to),
      leave: (identifier) => moveIssue(identifier, { to, stopRunning: false }),
      to,
    });
  };
}

/**
 * Moves issues to a state at once on the page, and back if the service refuses. Only the service
 * knows for certain whether that stops a run, for the page may be behind: then it is asked about.
 */
export function useMoveNow(): MoveNow {
  const client = useQueryClient();
  return async (issues, to, { stopRunning } = { stopRunning: false }) => {
    // A list on its way would overwrite what is shown meanwhile.
    await Promise.all(
      ['state', 'local-issues'].map((area) => client.cancelQueries({ queryKey: [area] })),
    );
    for (const { identifier, status, state } of issues) {
      // One that runs is probably asked about, and stays where it is until then.
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
