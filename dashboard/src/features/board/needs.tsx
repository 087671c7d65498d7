import type { Issue } from '@switchyard/shared/api/work/issue';
import { Icon, type IconName } from '../../ui/marks/icon.tsx';
import { useRetry } from '../control/use-retry.ts';
import { type Need, needOf } from './board-columns.ts';
import { Button } from '../../ui/button.tsx';

const NEEDS: { need: Need; label: string; icon: IconName }[] = [
  { need: 'asking', label: 'Needs you', icon: 'asking' },
  { need: 'running', label: 'Running', icon: 'running' },
  { need: 'waiting', label: 'Waiting', icon: 'queued' },
  { need: 'blocked', label: 'Blocked', icon: 'blocked' },
  { need: 'failed', label: 'Failed', icon: 'failed' },
];

export function isNeed(value: string | undefined): value is Need {
  return NEEDS.some((entry) => entry.need === value);
}

type NeedsProps = {
  issues: readonly Issue[];
  asking: ReadonlySet<string>;
  need: Need | null;
  /** Those that are left by what is chosen. */
  shown: readonly Issue[];
  /** False while some of the issues are not known: then no number would be true. */
  known: boolean;
  onChange: (need: Need | null) => void;
};

/** How many of the issues that the words leave are in which situation; one choice shows only those. */
export function Needs({ issues, asking, need, shown, known, onChange }: NeedsProps) {
  const counts = Map.groupBy(issues, (issue) => needOf(issue, asking));
  return (
    <div class="needs" role="group" aria-label="Filter by status">
      {NEEDS.map((entry) => {
        const count = counts.get(entry.need)?.length ?? 0;
        return (
          <button
            key={entry.need}
            type="button"
            class={`need status-${entry.need === 'waiting' ? 'queued' : entry.need} ${known && count === 0 ? 'none' : ''}`}
            aria-pressed={need === entry.need}
            onClick={() => onChange(need === entry.need ? null : entry.need)}
          >
            <Icon name={entry.icon} size={14} />
            <strong>{known ? count : '–'}</strong> {entry.label}
          </button>
        );
      })}
      {(need === 'failed' || need === 'blocked') && shown.length > 0 && <RetryAll issues={shown} />}
    </div>
  );
}

/** What stands still starts again, all at once. */
function RetryAll({ issues }: { issues: readonly Issue[] }) {
  const retry = useRetry();
  return (
    <Button icon="retry" small onClick={() => retry(issues.map(({ identifier }) => identifier))}>
      Retry all {issues.length}
    </Button>
  );
}
