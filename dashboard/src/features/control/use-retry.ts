import { useQueryClient } from '@tanstack/react-query';
import { retryIssue } from '../../api/actions.ts';
import { runUndoable } from '../../ui/overlays/run-undoable.ts';
import { runForAll } from './run-for-all.ts';

/** Has agents begin anew with issues, unless that is taken back. */
export function useRetry(): (identifiers: readonly string[]) => void {
  const client = useQueryClient();
  return (identifiers) =>
    runUndoable({
      about: identifiers,
      words: (about) =>
        about.length === 1 ? `Retrying ${about[0]}` : `Retrying ${about.length} issues`,
      run: (about) =>
        runForAll(
          client,
          about.map((identifier) => ({ identifier })),
          retryIssue,
          'retried',
        ),
      leave: retryIssue,
    });
}
