import type { Issue } from '@switchyard/shared/api/work/issue';
import { useState } from 'preact/hooks';
import { type Control, ControlDialog } from '../control/control-dialog.tsx';
import { useRetry } from '../control/use-retry.ts';
import { Button } from '../../ui/button.tsx';

type SelectionBarProps = {
  issues: readonly Issue[];
  /** The issues that match the filter. */
  shown: readonly Issue[];
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
};

/** Actions on all selected issues at once. */
export function SelectionBar({ issues, shown, selected, onChange }: SelectionBarProps) {
  const retry = useRetry();
  const [control, setControl] = useState<Control | null>(null);
  const chosen = issues.filter((issue) => selected.has(issue.identifier));
  if (chosen.length === 0) return null;
  const hidden = chosen.filter((issue) => !shown.includes(issue)).length;
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected issues">
      <strong>{chosen.length} selected</strong>
      {hidden > 0 && <span class="quiet">{hidden} hidden by the filter</span>}
      <span class="spacer" />
      <Button small onClick={() => retry(chosen)}>
        Retry
      </Button>
      <Button small onClick={() => setControl('steer')}>
        Steer
      </Button>
      <Button small onClick={() => setControl('move')}>
        Move
      </Button>
      <Button small onClick={() => setControl('abort')}>
        Stop
      </Button>
      <Button small onClick={() => onChange(new Set())}>
        Clear
      </Button>
      {control !== null && (
        <ControlDialog control={control} issues={chosen} onClose={() => setControl(null)} />
      )}
    </div>
  );
}
