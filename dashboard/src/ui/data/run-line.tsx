import { useCurrentAttempt } from '../../api/use-current-attempt.ts';
import { stepLabel } from '../../format/labels.ts';
import { Elapsed } from '../marks/ago.tsx';
import './standing.css';

/** What happens to a running issue at this moment, and since when; nothing until that is known. */
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
