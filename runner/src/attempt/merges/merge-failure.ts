import { NEEDS_PERSON } from '@switchyard/shared/reasons/needs-person';
import { WorkspaceError } from '../../workspace/workspace.ts';
import { AttemptFailed, failureOfStep } from '../attempt-end.ts';

/**
 * The attempt's failure for an error while a merge is made and tested. `baseCommit` tells the agent
 * what to merge, because its workspace has the base branch as it was.
 */
export function mergeFailure(error: unknown, baseCommit?: string): AttemptFailed {
  if (!(error instanceof WorkspaceError)) return failureOfStep(error, 'workspace_error');
  const { code, message } = error;
  if (code !== 'merge_conflict') return failureOfStep(error, 'workspace_error');
  const how = baseCommit === undefined ? '' : `; git merge ${baseCommit} shows the conflict`;
  const reasonCode = 'merge_conflict';
  return new AttemptFailed('delivery_refused', `${message}${how}`, { reasonCode });
}

/** As `mergeFailure`, for an error of the push: one that only a person can resolve is refused. */
export function failureOfMergePush(error: unknown): AttemptFailed {
  const isFinal = error instanceof WorkspaceError && NEEDS_PERSON.has(error.code);
  return isFinal ? new AttemptFailed('delivery_refused', error.message) : mergeFailure(error);
}
