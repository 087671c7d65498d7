import { useQueryClient } from '@tanstack/react-query';
import { moveIssue } from '../../api/actions.ts';
import { showMoved } from './issue-caches.ts';
import { runForAll } from './run-for-all.ts';

/** Moves issues to a state at once on the page, and back if the service refuses. */
export function useMove(): (identifiers: readonly string[], to: string) => Promise<void> {
  const client = useQueryClient();
  return async (identifiers, to) => {
    // A list on its way would overwrite what is shown meanwhile.
    await Promise.all([
      client.cancelQueries({ queryKey: ['state'] }),
      client.cancelQueries({ queryKey: ['local-issues'] }),
    ]);
    const backs = new Map(identifiers.map((id) => [id, showMoved(client, id, to)]));
    const move = async (id: string) => {
      try {
        await moveIssue(id, to);
      } catch (error) {
        backs.get(id)?.();
        throw error;
      }
    };
    await runForAll(client, identifiers, move, `moved to ${to}`);
  };
}

/** Agents work on issues in these states of the built-in tracker; leaving them stops a run. */
const ACTIVE = new Set(['todo', 'in progress']);

/** Whether moving there would stop work that is under way. */
export function moveStopsRun(issue: { status: string }, to: string): boolean {
  return issue.status === 'running' && !ACTIVE.has(to.toLowerCase());
}
