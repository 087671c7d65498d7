import type { Issue } from '@switchyard/shared/api/work/issue';
import type { IssueGroup } from '@switchyard/shared/api/work/issue-list';
import { Icon, type IconName } from '../../ui/marks/icon.tsx';
import { useRetry } from '../control/use-retry.ts';
import { NEEDS_YOU_TEXT } from '../requests/need-row.tsx';
import { Button } from '../../ui/button.tsx';

const NEEDS: { need: IssueGroup; label: string; icon: IconName }[] = [
  { need: 'person', label: 'Needs you', icon: 'asking' },
  { need: 'running', label: 'Running', icon: 'running' },
  { need: 'waiting', label: 'Waiting', icon: 'queued' },
  { need: 'blocked', label: 'Blocked', icon: 'blocked' },
  { need: 'failed', label: 'Failed', icon: 'failed' },
];
const LOOKS: Partial<Record<IssueGroup, string>> = { person: 'asking', waiting: 'queued' };

/** The group in an address; `asking` is its name in older addresses. */
export function groupOf(value: string | undefined): IssueGroup | null {
  const wanted = value === 'asking' ? 'person' : value;
  return NEEDS.find(({ need }) => need === wanted)?.need ?? null;
}

type NeedsProps = {
  need: IssueGroup | null;
  /** Issues that match the filter. */
  shown: readonly Issue[];
  /**
   * Number of issues of a group that match the search terms; null: unknown, since some are not
   * loaded.
   */
  countOf: (group: IssueGroup) => number | null;
  onChange: (need: IssueGroup | null) => void;
};

/**
 * Filters by group with the number of matching issues of each; an issue may be in two groups, for
 * example one that runs and has a question.
 */
export function Needs({ need, shown, countOf, onChange }: NeedsProps) {
  return (
    <div class="needs" role="group" aria-label="Filter by status">
      {NEEDS.map((entry) => {
        const count = countOf(entry.need);
        return (
          <button
            key={entry.need}
            type="button"
            class={`need status-${LOOKS[entry.need] ?? entry.need} ${count === 0 ? 'none' : ''}`}
            aria-pressed={need === entry.need}
            title={entry.need === 'person' ? NEEDS_YOU_TEXT : undefined}
            onClick={() => onChange(need === entry.need ? null : entry.need)}
          >
            <Icon name={entry.icon} size={14} />
            <strong>{count ?? '–'}</strong> {entry.label}
          </button>
        );
      })}
      {(need === 'failed' || need === 'blocked') && shown.length > 0 && <RetryAll issues={shown} />}
    </div>
  );
}

/** Retries the given issues, failed or blocked ones, all at once. */
function RetryAll({ issues }: { issues: readonly Issue[] }) {
  const retry = useRetry();
  return (
    <Button icon="retry" small onClick={() => retry(issues)}>
      Retry all {issues.length}
    </Button>
  );
}
