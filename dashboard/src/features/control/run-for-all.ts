import type { QueryClient } from '@tanstack/react-query';
import { errorText } from '../../api/api.ts';
import { supersede } from '../../ui/overlays/run-undoable.ts';
import { showToast } from '../../ui/overlays/toasts.tsx';
import type { IssueRef } from './issue-ref.ts';
import { refresh } from '../../api/read-query.ts';

/** Result of an action that did nothing and has already reported so. */
export const SKIPPED = Symbol('not done');

/**
 * Runs one action for every issue, one after the other, and cancels their pending actions; reports
 * successes and failures.
 */
export async function runForAll<T extends Pick<IssueRef, 'identifier'>>(
  client: QueryClient,
  issues: readonly T[],
  action: (identifier: string, issue: T) => Promise<unknown>,
  done: string,
): Promise<void> {
  supersede(issues.map(({ identifier }) => identifier));
  let succeeded = 0;
  for (const issue of issues) {
    const { identifier } = issue;
    try {
      if ((await action(identifier, issue)) !== SKIPPED) succeeded += 1;
    } catch (error) {
      showToast(`${identifier}: ${errorText(error)}`, 'bad');
    }
  }
  if (succeeded > 0) {
    const [first] = issues;
    showToast(`${issues.length === 1 ? first?.identifier : `${succeeded} issues`}: ${done}`);
  }
  await refresh(client, 'state', 'local-issues', 'issue', 'attempts', 'transitions');
}
