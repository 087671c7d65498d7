import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { retryIssue } from '../../api/actions.ts';
import { runUndoable } from '../../ui/overlays/run-undoable.ts';
import { askToRetry } from './ask-to-retry.ts';
import { nameOf, type RetryRef } from './issue-ref.ts';
import { runForAll } from './run-for-all.ts';

type Retry = (issues: readonly RetryRef[]) => void;

/**
 * Retries issues, unless that is taken back. Where one of them is completed, a person is asked first:
 * a new attempt costs tokens and replaces what was delivered.
 */
export function useRetry(): Retry {
  const retryNow = useRetryNow();
  return (issues) =>
    issues.some(({ status }) => status === 'completed') ? askToRetry(issues) : retryNow(issues);
}

/** As `useRetry`, for who has answered already. */
export function useRetryNow(): Retry {
  const client = useQueryClient();
  return (issues) => retryUndoable(client, issues);
}

function retryUndoable(client: QueryClient, issues: readonly RetryRef[]): void {
  const those = (about: readonly string[]) => about.map((identifier) => ({ identifier }));
  runUndoable({
    about: issues.map(({ identifier }) => identifier),
    words: (about) => `Retrying ${nameOf(those(about))}`,
    run: (about) => runForAll(client, those(about), retryIssue, 'retried'),
    leave: retryIssue,
  });
}
