import { useNeedingPerson } from '../../api/issue-lists.ts';
import { LoadError } from '../../ui/data/query-view.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { NEEDS_YOU_TEXT, NeedRow } from '../requests/need-row.tsx';
import { MoreOnBoard } from './more-on-board.tsx';
import { useMissingSteps } from './use-missing-steps.ts';

/** Number of issues shown; for more the board is better. */
const SHOWN = 6;

/** Questions, issues that wait for a person, and pull requests to review. */
export function NeedsYou() {
  const { query, counts, issues } = useNeedingPerson();
  const total = counts?.person ?? 0;
  return (
    <>
      {counts === undefined && query.error !== null && (
        <LoadError error={query.error} onRetry={() => void query.refetch()} />
      )}
      <section class="panel overview-panel" aria-labelledby="needs-you">
        <h2 id="needs-you" title={NEEDS_YOU_TEXT}>
          Needs you {total > 0 && <span class="count">{total}</span>}
        </h2>
        {total === 0 ? (
          <AllClear isKnown={counts !== undefined} />
        ) : (
          <ul class="rows">
            {issues.slice(0, SHOWN).map((issue) => (
              <NeedRow key={`${issue.tracker}:${issue.id}`} issue={issue} />
            ))}
          </ul>
        )}
        <MoreOnBoard count={total - SHOWN} need="person" />
      </section>
    </>
  );
}

function AllClear({ isKnown }: { isKnown: boolean }) {
  const missing = useMissingSteps();
  if (!isKnown || missing === undefined) return <p class="all-clear">Status unknown.</p>;
  if (missing.length > 0) {
    return <p class="all-clear">Complete the setup above to start issues.</p>;
  }
  return (
    <p class="all-clear">
      <Icon name="completed" /> You’re all caught up.
    </p>
  );
}
