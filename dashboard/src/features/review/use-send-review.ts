import type { Issue } from '@switchyard/shared/api/work/issue';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { addComment, retryIssue, steerIssue } from '../../api/actions.ts';
import { type LineComment, reviewMessage } from '../../ui/diff/review.ts';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { ApiError, errorText } from '../../api/api.ts';
import { refresh } from '../../api/read-query.ts';

/** The issue whose agent receives the review. */
export type Reviewed = Pick<Issue, 'identifier' | 'status' | 'tracker'>;

/** Whether the agent can be reached; not when none runs and the tracker's comments are external. */
export const canReachAgent = ({ status, tracker }: Reviewed): boolean =>
  status === 'running' || tracker === 'local';

type Said = Omit<LineComment, 'id'>;

/** Handlers of the result, which are called even when the page was left before the response. */
type Outcome = {
  onSent?: () => void;
  onFailed?: (comments: readonly Said[], error: Error) => void;
};

/** Sends comments on lines as one message: to the running turn, otherwise with a new attempt. */
export function useSendReview(
  issue: Reviewed,
  { onSent, onFailed }: Outcome,
): UseMutationResult<Error | null, Error, readonly Said[]> {
  const client = useQueryClient();
  const running = issue.status === 'running';
  const { identifier } = issue;
  return useMutation({
    mutationFn: async (comments: readonly Said[]) => {
      const message = reviewMessage(comments);
      if (running) {
        await steerIssue(identifier, message);
        return null;
      }
      await addComment(identifier, message);
      // A comment restarts a blocked issue by itself; a completed one needs an explicit retry.
      return retryIssue(identifier).then(() => null, refusalOf);
    },
    onError: (error, comments) => onFailed?.(comments, error),
    onSuccess: async (refusal) => {
      onSent?.();
      if (refusal !== null)
        showToast(`Comment sent, but not retried: ${errorText(refusal)}`, 'bad');
      else showToast(running ? 'Sent to the agent.' : 'Comment sent; retrying.');
      await refresh(client, 'issue', 'comments', 'state');
    },
  });
}

/** Why a retry was refused; null when the reason is that the issue already runs. */
function refusalOf(error: Error): Error | null {
  return error instanceof ApiError && error.status === 409 ? null : error;
}
