import { plural } from '../../format/format-count.ts';
import type { LineComment } from '../../ui/diff/review.ts';
import { Problem } from '../../ui/marks/problem.tsx';
import { canReachAgent, type Reviewed, useSendReview } from './use-send-review.ts';
import { Button } from '../../ui/button.tsx';
import './review-bar.css';

type ReviewBarProps = {
  issue: Reviewed;
  comments: readonly LineComment[];
  onSent: () => void;
};

/** Sends all comments on lines together. */
export function ReviewBar({ issue, comments, onSent }: ReviewBarProps) {
  const send = useSendReview(issue, { onSent });
  const running = issue.status === 'running';
  if (comments.length === 0) return null;
  const possible = canReachAgent(issue);
  return (
    <div class="review-bar" role="group" aria-label="Comments on lines">
      <strong>{plural(comments.length, 'comment')}</strong>
      <span class="quiet">
        {!possible
          ? 'No agent is running. Comment in the tracker or on the pull request.'
          : running
            ? 'The agent receives them in its current turn.'
            : 'Posts them as a comment and starts a new attempt.'}
      </span>
      <span class="spacer" />
      <Problem error={send.error} />
      <Button primary disabled={!possible || send.isPending} onClick={() => send.mutate(comments)}>
        {running ? 'Send to the agent' : 'Send and retry'}
      </Button>
    </div>
  );
}
