import { cutText } from '@switchyard/shared/text/cut-text';
import { useState } from 'preact/hooks';
import {
  type BoardFilter,
  NAME_MAX_CHARS,
  removeView,
  sameFilter,
  saveView,
  useSavedViews,
} from './saved-views.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';

type FilterBarProps = {
  filter: BoardFilter;
  /** Number of issues that match the filter, and how many of them are selected. */
  shown: number;
  selected: number;
  onSelectAll: () => void;
  onClear: () => void;
};

/** Actions on a filter: select all its issues, save it under a name, or clear it. */
export function FilterBar({ filter, shown, selected, onSelectAll, onClear }: FilterBarProps) {
  const [naming, setNaming] = useState(false);
  const saved = useSavedViews().find((view) => sameFilter(view.filter, filter));
  const isFiltered = !sameFilter(filter, {});
  return (
    <div class="filter-bar">
      {shown > 0 && selected < shown && (
        <Button small onClick={onSelectAll}>
          {isFiltered ? `Select all ${shown} shown` : `Select all ${shown}`}
        </Button>
      )}
      {isFiltered && saved === undefined && (
        <Button small onClick={() => setNaming(true)}>
          Save view
        </Button>
      )}
      {saved !== undefined && (
        <Button
          icon="close"
          small
          aria-label={`Delete view ${saved.name}`}
          onClick={() => removeView(saved.name)}
        >
          {saved.name}
        </Button>
      )}
      {isFiltered && (
        <Button small onClick={onClear}>
          Clear filter
        </Button>
      )}
      {naming && <NameView filter={filter} onClose={() => setNaming(false)} />}
    </div>
  );
}

function NameView({ filter, onClose }: { filter: BoardFilter; onClose: () => void }) {
  const proposed = [filter.need, filter.q].filter((part) => part !== undefined && part !== '');
  const [name, setName] = useState(cutText(proposed.join(' '), NAME_MAX_CHARS));
  return (
    <FormDialog
      title="Save this view"
      submitLabel="Save view"
      onClose={onClose}
      onSubmit={() => {
        saveView({ name: name.trim(), filter });
        onClose();
      }}
    >
      <TextField
        prose
        label="Name"
        required
        pattern=".*\S.*"
        maxLength={NAME_MAX_CHARS}
        autoFocus
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <p class="quiet">Saved in this browser. Listed under Board and in search.</p>
    </FormDialog>
  );
}
