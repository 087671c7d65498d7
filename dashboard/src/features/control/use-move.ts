import { useQueryClient } from '@tanstack/react-query';
import { moveIssue } from '../../api/actions.ts';
import { ApiError } from '../../api/client.ts';
import { askToStop } from './ask-to-stop.ts';
import type { Controlled } from './controlled.ts';
import { showMoved } from './issue-caches.ts';
import { NOT_DONE, runForAll } from './run-for-all.ts';

type Move = (issues: readonly Controlled[], to: string, stopRunning?: boolean) => Promise<void>;

/**
 * Moves issues to a state at once on the page, and back if the service refuses. Only the service
 * knows for certain whether that stops a run, for the page may be behind: then it is asked about.
 */
export function useMove(): Move {
  const client = useQueryClient();
  return async (issues, to, stopRunning = false) => {
    // A list on its way would overwrite what is shown meanwhile.
    await Promise.all([
      client.cancelQueries({ queryKey: ['state'] }),
      client.cancelQueries({ queryKey: ['local-issues'] }),
    ]);
    for (const { identifier, status, state } of issues) {
      // One that runs is probably asked about, and stays where it is until then.
      if (stopRunning || status !== 'running') showMoved(client, identifier, state, to);
    }
    const move = async (identifier: string, issue: Controlled) => {
      try {
        return await moveIssue(identifier, to, stopRunning);
      } catch (error) {
        showMoved(client, identifier, to, issue.state);
        if (!(error instanceof ApiError && error.code === 'stops_run')) throw error;
        askToStop(issue, to);
        return NOT_DONE;
      }
    };
    await runForAll(client, issues, move, `moved to ${to}`);
  };
}
