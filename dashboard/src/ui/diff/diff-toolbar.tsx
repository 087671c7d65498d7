import { plural } from '../../format/format-count.ts';
import type { DiffLayout } from './diff-layout.ts';

const LAYOUTS = [
  ['unified', 'Unified'],
  ['split', 'Side by side'],
] as const;

/** Controls of a diff's layout, with the number of viewed files. */
export function DiffToolbar(props: {
  files: number;
  viewed: number;
  layout: DiffLayout;
  onLayout: (layout: DiffLayout) => void;
}) {
  return (
    <div class="diff-toolbar">
      <span class="quiet" role="status">
        {props.viewed} of {plural(props.files, 'file')} viewed
      </span>
      <span class="quiet wide-only">
        <kbd>j</kbd> <kbd>k</kbd> next and previous file
      </span>
      <span class="spacer" />
      <div class="layout-switch" role="group" aria-label="Diff layout">
        {LAYOUTS.map(([layout, label]) => (
          <button
            key={layout}
            type="button"
            aria-pressed={props.layout === layout}
            onClick={() => props.onLayout(layout)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}
