import { Question } from '../../ui/overlays/question.tsx';
import { stopAnswered, useStopsAsked } from './ask-to-stop.ts';
import { nameOf } from './issue-ref.ts';
import { useMoveNow } from './use-move.ts';

/** Shows the question about moves that stop runs; part of the shell. */
export function StopQuestion() {
  const [question] = useStopsAsked();
  const move = useMoveNow();
  if (question === undefined) return null;
  const { issues, to } = question;
  const close = () => stopAnswered(question);
  return (
    <Question
      key={to}
      title={`Move ${nameOf(issues)} to ${to}?`}
      confirmLabel="Move and stop"
      danger
      onConfirm={() => {
        close();
        void move(issues, to, { stopRunning: true });
      }}
      onClose={close}
    >
      <p>
        {issues.length === 1 ? 'Its running agent stops.' : 'Their running agents stop.'} Work done
        so far is kept, and you can retry at any time.
      </p>
    </Question>
  );
}
