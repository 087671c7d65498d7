import { useCurrentAttempt } from '../../api/use-current-attempt.ts';
import { stepLabel } from '../../format/labels.ts';
import { Elapsed } from '../marks/ago.tsx';
import './standing.css';

/** The step of a running issue, and how long its attempt has run; nothing until it is loaded. */
export function RunLine({ identifier }: { identifier: string }) {
  const attempt = useCurrentAttempt(identifier);
  if (attempt === undefined) return null;
  return (
    <p class="run-line">
      <span>{stepLabel(attempt)}</span>
      <Elapsed from={Date.parse(attempt.startedAt ?? attempt.queuedAt)} to={null} />
    </p>
  );
}
