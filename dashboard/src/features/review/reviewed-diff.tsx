import type { ComponentChildren } from 'preact';
import { DiffView } from '../../ui/diff/diff-view.tsx';
import { showErrorToast } from '../../ui/overlays/toasts.tsx';
import { ReviewBar } from './review-bar.tsx';
import { useReview } from './use-review.ts';
import { canReachAgent, type Reviewed, useSendReview } from './use-send-review.ts';

/** A change to read file by file; each line accepts a comment for the issue's agent. */
export function ReviewedDiff(props: {
  diff: string;
  issue: Reviewed;
  /** Content above the files that scrolls with them. */
  above?: ComponentChildren;
}) {
  const { diff, issue } = props;
  const { onSent, ...review } = useReview(issue.identifier);
  const send = useSendReview(issue, {
    // A failed comment must not be lost: it joins the others, to be sent again.
    onFailed: (comments, error) => {
      for (const comment of comments) review.onAdd(comment);
      showErrorToast(error);
    },
  });
  const sending = {
    label: issue.status === 'running' ? 'Send now' : 'Send now and retry',
    onSend: (comment: Parameters<typeof review.onAdd>[0]) => send.mutate([comment]),
  };
  return (
    <>
      <div class="reviewed">
        {props.above}
        <DiffView
          diff={diff}
          review={canReachAgent(issue) ? { ...review, sending } : review}
          tree
        />
      </div>
      <ReviewBar issue={issue} comments={review.comments} onSent={onSent} />
    </>
  );
}
