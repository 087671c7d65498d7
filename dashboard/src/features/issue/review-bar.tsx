import type { IssueDetail } from '@switchyard/shared/api/issue';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { addComment, retryIssue, steerIssue } from '../../api/actions.ts';
import { plural } from '../../format/number.ts';
import { type LineComment, reviewMessage } from '../../ui/diff/review.ts';
import { Problem } from '../../ui/problem.tsx';
import { say } from '../../ui/toast.tsx';

type ReviewBarProps = {
  issue: IssueDetail;
  comments: readonly LineComment[];
  onSent: () => void;
};

/** Sends all comments on lines as one message: into the running turn, else with a new attempt. */
export function ReviewBar({ issue, comments, onSent }: ReviewBarProps) {
  const client = useQueryClient();
  const running = issue.status === 'running';
  const { identifier } = issue;
  const send = useMutation({
    mutationFn: async () => {
      const message = reviewMessage(comments);
      if (running) return void (await steerIssue(identifier, message));
      await addComment(identifier, message);
      // A comment wakes an issue that is stuck by itself; one that is done has to be asked.
      await retryIssue(identifier).catch(() => null);
    },
    onSuccess: () => {
      say(running ? 'Sent to the agent.' : 'Commented; an agent takes it up again.');
      onSent();
      return Promise.all(
        ['issue', 'comments', 'state'].map((area) =>
          client.invalidateQueries({ queryKey: [area] }),
        ),
      );
    },
  });
  if (comments.length === 0) return null;
  const possible = running || issue.tracker === 'local';
  return (
    <div class="review-bar" role="group" aria-label="Comments on lines">
      <strong>{plural(comments.length, 'comment')}</strong>
      <span class="quiet">
        {!possible
          ? 'No agent runs: say it in the tracker or on the pull request.'
          : running
            ? 'The agent hears them in its present turn.'
            : 'They become a comment, and a new attempt begins with them.'}
      </span>
      <span class="spacer" />
      <Problem error={send.error} />
      <button
        type="button"
        class="button primary"
        disabled={!possible || send.isPending}
        onClick={() => send.mutate()}
      >
        {running ? 'Send to the agent' : 'Send and retry'}
      </button>
    </div>
  );
}
