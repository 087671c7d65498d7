import type { Issue } from '@switchyard/shared/api/work/issue';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { addComment, retryIssue, steerIssue } from '../../api/actions.ts';
import { type LineComment, reviewMessage } from '../../ui/diff/review.ts';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { ApiError, errorText } from '../../api/api.ts';
import { refresh } from '../../api/read-query.ts';

/** The issue whose agent hears it. */
export type Reviewed = Pick<Issue, 'identifier' | 'status' | 'tracker'>;

/** Where nothing can be said to an agent: none runs, and the tracker's comments are elsewhere. */
export const canReachAgent = ({ status, tracker }: Reviewed): boolean =>
  status === 'running' || tracker === 'local';

type Said = Omit<LineComment, 'id'>;

/** What becomes of the comments; it counts as well where the page was left before the answer. */
type Outcome = {
  onSent?: () => void;
  onFailed?: (comments: readonly Said[], error: Error) => void;
};

/** Sends comments on lines as one message: into the running turn, else with a new attempt. */
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
      // A comment wakes an issue that is stuck by itself; one that is done has to be asked.
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

/** Why a retry was not taken; null where it is refused because the issue runs already. */
function refusalOf(error: Error): Error | null {
  return error instanceof ApiError && error.status === 409 ? null : error;
}
