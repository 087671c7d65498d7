import { useState } from 'preact/hooks';
import { Modal } from '../../ui/overlays/modal.tsx';
import {
  type BoardFilter,
  NAME_MAX_CHARS,
  removeView,
  sameFilter,
  saveView,
  useSavedViews,
} from './saved-views.ts';
import { Button } from '../../ui/button.tsx';

type FilterBarProps = {
  filter: BoardFilter;
  /** How many issues the filter shows, and how many of these are selected. */
  shown: number;
  selected: number;
  onSelectAll: () => void;
  onClear: () => void;
};

/** What can be done with a filter: select all it shows, keep it by a name, or take it off. */
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
  const [name, setName] = useState(proposed.join(' ').slice(0, NAME_MAX_CHARS));
  return (
    <Modal title="Save this view" onClose={onClose} narrow>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          saveView({ name: name.trim(), filter });
          onClose();
        }}
      >
        <label class="stack">
          Name
          <input
            class="field"
            required
            pattern=".*\S.*"
            maxLength={NAME_MAX_CHARS}
            autoFocus
            autoComplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p class="quiet">Saved in this browser. Listed under Board and in search.</p>
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" primary>
            Save view
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
