import { plural } from '../../format/format-count.ts';
import { Question } from '../../ui/overlays/question.tsx';
import { askToRetry, useRetryAsked } from './ask-to-retry.ts';
import { nameOf } from './issue-ref.ts';
import { useRetryNow } from './use-retry.ts';

/** Shows the question about retrying completed issues; part of the shell. */
export function RetryQuestion() {
  const issues = useRetryAsked();
  const retry = useRetryNow();
  if (issues === null) return null;
  const completed = issues.filter(({ status }) => status === 'completed').length;
  const close = () => askToRetry(null);
  return (
    <Question
      title={`Retry ${nameOf(issues)}?`}
      confirmLabel="Retry"
      onConfirm={() => {
        close();
        retry(issues);
      }}
      onClose={close}
    >
      <p>
        {issues.length === 1
          ? 'It is completed.'
          : `${plural(completed, 'issue')} of these ${completed === 1 ? 'is' : 'are'} completed.`}{' '}
        An agent works on it again, which costs tokens. What it delivers replaces the content of an
        open pull request; after a merged or closed one, a new pull request opens.
      </p>
    </Question>
  );
}
