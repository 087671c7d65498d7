import { useQueryClient } from '@tanstack/react-query';
import { retryIssue } from '../../api/actions.ts';
import { doUnlessUndone } from '../../ui/overlays/undoable.ts';
import { runForAll } from './run-for-all.ts';

/** Has agents begin anew with issues, unless that is taken back. */
export function useRetry(): (identifiers: readonly string[]) => void {
  const client = useQueryClient();
  return (identifiers) =>
    doUnlessUndone({
      about: identifiers,
      words: (about) =>
        about.length === 1 ? `${about[0]} starts again` : `${about.length} issues start again`,
      run: (about) =>
        runForAll(
          client,
          about.map((identifier) => ({ identifier })),
          retryIssue,
          'tried again',
        ),
      leave: retryIssue,
    });
}
