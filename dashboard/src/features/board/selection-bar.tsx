import type { Issue } from '@switchyard/shared/api/issue';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { retryIssue } from '../../api/actions.ts';
import { type Control, ControlDialog } from '../control/control-dialog.tsx';
import { runForAll } from '../control/run-for-all.ts';

type SelectionBarProps = {
  issues: readonly Issue[];
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
};

/** What can be done with all selected issues at once. */
export function SelectionBar({ issues, selected, onChange }: SelectionBarProps) {
  const client = useQueryClient();
  const [control, setControl] = useState<Control | null>(null);
  const chosen = issues.filter((issue) => selected.has(issue.identifier));
  if (chosen.length === 0) return null;
  const retry = () => runForAll(client, chosen, retryIssue, 'tried again');
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected issues">
      <strong>{chosen.length} selected</strong>
      <span class="spacer" />
      <button type="button" class="button small" onClick={() => void retry()}>
        Retry
      </button>
      <button type="button" class="button small" onClick={() => setControl('steer')}>
        Steer
      </button>
      <button type="button" class="button small" onClick={() => setControl('move')}>
        Move
      </button>
      <button type="button" class="button small" onClick={() => setControl('abort')}>
        Abort
      </button>
      <button type="button" class="button small" onClick={() => onChange(new Set())}>
        Clear
      </button>
      {control !== null && (
        <ControlDialog control={control} issues={chosen} onClose={() => setControl(null)} />
      )}
    </div>
  );
}
