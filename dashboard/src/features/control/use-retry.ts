import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { retryIssue } from '../../api/actions.ts';
import { runUndoable } from '../../ui/overlays/run-undoable.ts';
import { askToRetry } from './ask-to-retry.ts';
import { nameOf, type RetryRef } from './issue-ref.ts';
import { runForAll } from './run-for-all.ts';

type Retry = (issues: readonly RetryRef[]) => void;

/**
 * Retries issues after an undo period. For completed ones a person is asked first: a new attempt
 * costs tokens and replaces the delivered work.
 */
export function useRetry(): Retry {
  const client = useQueryClient();
  return (issues) =>
    issues.some(({ status }) => status === 'completed')
      ? askToRetry(issues)
      : retryUndoable(client, issues);
}

/** Retries issues at once after a confirmation, without a further undo period. */
export function useRetryNow(): Retry {
  const client = useQueryClient();
  return (issues) => void retryAll(client, issues);
}

function retryUndoable(client: QueryClient, issues: readonly RetryRef[]): void {
  const those = (about: readonly string[]) => about.map((identifier) => ({ identifier }));
  runUndoable({
    about: issues.map(({ identifier }) => identifier),
    text: (about) => `Retrying ${nameOf(those(about))}`,
    run: (about) => retryAll(client, those(about)),
    leave: retryIssue,
  });
}

function retryAll(
  client: QueryClient,
  issues: readonly Pick<RetryRef, 'identifier'>[],
): Promise<void> {
  return runForAll(client, issues, retryIssue, 'retried');
}
