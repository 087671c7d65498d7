import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refresh } from '../../api/read-query.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { askForReview } from './queries.ts';

type AskProps = { pullRequest: Pick<PullRequest, 'id' | 'number'>; isAgain: boolean };

/** A button that has another agent read the pull request, with the refusal beside it. */
export function AskForReview({ pullRequest: { id, number }, isAgain }: AskProps) {
  const client = useQueryClient();
  const ask = useMutation({
    mutationFn: () => askForReview(id),
    onSuccess: () => showToast(`Another agent reviews #${number}.`),
    // Also after a refusal: a review may run by now.
    onSettled: () => refresh(client, 'reviews', 'issue'),
  });
  return (
    <div class="review-ask">
      <Button small icon="thought" disabled={ask.isPending} onClick={() => ask.mutate()}>
        {ask.isPending ? 'Asking' : isAgain ? 'Review again' : 'Ask for a review'}
      </Button>
      <Problem error={ask.error} />
    </div>
  );
}
