import { useMemo, useState } from 'preact/hooks';
import { useNarrow } from '../layout/use-narrow.ts';
import { Icon } from '../marks/icon.tsx';
import { shortcutsOf, type Shortcut, useShortcuts } from '../overlays/shortcuts.ts';
import { DiffCount } from './diff-count.tsx';
import { type DiffLayout, keepDiffLayout, readDiffLayout } from './diff-layout.ts';
import { DiffTable } from './diff-table.tsx';
import { DiffToolbar } from './diff-toolbar.tsx';
import { DiffTree } from './diff-tree.tsx';
import type { DiffProps } from './diff-props.ts';
import { fileElementId, focusedFile, showFile } from './show-file.ts';
import { MarkBudget } from './highlight/mark-budget.ts';
import { modeLabel } from './mode-label.ts';
import { type DiffFile, parseDiff } from './parse-diff.ts';
import type { Review } from './review.ts';
import { markViewed, readViewed, viewedKey } from './mark-viewed.ts';
import './diff-files.css';
import './highlight/diff-colours.css';

/** Files with more changed lines than this start collapsed; a collapsed file is not drawn. */
const FOLD_LINES = 400;

/** All files of a diff; loaded with the viewer by `DiffView`. */
export function DiffFiles({ diff, review, tree = false }: DiffProps) {
  const files = useMemo(() => parseDiff(diff), [diff]);
  const budget = useMemo(() => new MarkBudget(), [files]);
  const keys = useMemo(() => files.map(viewedKey), [files]);
  const [viewed, setViewed] = useState(readViewed);
  const [chosen, setLayout] = useState(readDiffLayout);
  const layout = useNarrow() ? 'unified' : chosen;
  const mark = (key: string, how: { viewed: boolean }) => setViewed(markViewed(key, how));
  useShortcuts(tree ? fileKeys(keys, (key) => mark(key, { viewed: !viewed.has(key) })) : []);
  if (files.length === 0) return <p class="quiet">No changes.</p>;
  const choose = (next: DiffLayout) => {
    keepDiffLayout(next);
    setLayout(next);
  };
  const isViewed = keys.map((key) => tree && viewed.has(key));
  return (
    <>
      {tree && (
        <>
          <DiffToolbar
            files={files.length}
            viewed={isViewed.filter(Boolean).length}
            layout={layout}
            onLayout={choose}
          />
          <DiffTree files={files} viewed={isViewed} />
        </>
      )}
      <div class="diff-files">
        {files.map((file, position) => (
          <FileView
            key={`${position}:${file.path}`}
            file={file}
            id={fileElementId(position)}
            layout={tree ? layout : 'unified'}
            review={review}
            budget={budget}
            viewed={isViewed[position] ?? false}
            onViewed={tree ? (on) => mark(keys[position] ?? '', { viewed: on }) : undefined}
          />
        ))}
      </div>
    </>
  );
}

function fileKeys(keys: readonly string[], toggle: (key: string) => void): Shortcut[] {
  const at = () => focusedFile(keys.length);
  const key = shortcutsOf('Changes');
  return [
    key('j', 'Next file', () => showFile(Math.min(at() + 1, keys.length - 1))),
    key('k', 'Previous file', () => showFile(Math.max(at() - 1, 0))),
    key('x', 'Mark the file as viewed or not viewed', () => {
      const current = keys[at()];
      if (current !== undefined) toggle(current);
    }),
  ];
}

type FileViewProps = {
  file: DiffFile;
  id: string;
  layout: DiffLayout;
  review: Review | undefined;
  budget: MarkBudget;
  viewed: boolean;
  /** Left out: files cannot be marked as viewed. */
  onViewed: ((on: boolean) => void) | undefined;
};

function FileView({ file, id, layout, review, budget, viewed, onViewed }: FileViewProps) {
  const [open, setOpen] = useState(!viewed && file.additions + file.deletions <= FOLD_LINES);
  const [wasViewed, setWasViewed] = useState(viewed);
  if (wasViewed !== viewed) {
    setWasViewed(viewed);
    setOpen(!viewed);
  }
  const mode = modeLabel(file);
  const name = file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`;
  return (
    <div class={viewed ? 'diff-file viewed' : 'diff-file'}>
      <details id={id} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="diff-path">{name}</span>
          {file.change !== 'modified' && <span class="tag">{file.change}</span>}
          {mode !== null && <span class="tag">{mode}</span>}
          <DiffCount additions={file.additions} deletions={file.deletions} />
        </summary>
        {file.oldMode !== null && file.newMode !== null && (
          <p class="quiet diff-nothing">
            Mode {file.oldMode} → {file.newMode}
          </p>
        )}
        {file.binary && <p class="quiet diff-nothing">Binary file.</p>}
        {open && file.hunks.length > 0 && (
          <DiffTable file={file} review={review} layout={layout} budget={budget} />
        )}
      </details>
      {onViewed !== undefined && (
        <button
          type="button"
          class="button small diff-viewed"
          aria-pressed={viewed}
          onClick={() => onViewed(!viewed)}
        >
          <Icon name={viewed ? 'check' : 'idle'} size={12} />
          Viewed<span class="visually-hidden"> {file.path}</span>
        </button>
      )}
    </div>
  );
}
