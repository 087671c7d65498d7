import { useMemo, useState } from 'preact/hooks';
import { DiffCount } from './diff-count.tsx';
import { DiffTable } from './diff-table.tsx';
import { DiffTree } from './diff-tree.tsx';
import type { DiffProps } from './diff-view.tsx';
import { fileElementId } from './file-element-id.ts';
import { type DiffFile, parseDiff } from './parse-diff.ts';
import type { Review } from './review.ts';
import './diff-files.css';

/** Files with more changed lines than this start folded; what is folded is not drawn. */
const FOLD_LINES = 400;

/** All files of a difference; loaded with the viewer by `DiffView`. */
export function DiffFiles({ diff, review, tree = false }: DiffProps) {
  const files = useMemo(() => parseDiff(diff), [diff]);
  if (files.length === 0) return <p class="quiet">No difference.</p>;
  return (
    <>
      {tree && <DiffTree files={files} />}
      <div class="diff-files">
        {files.map((file, position) => (
          <FileView
            key={`${position}:${file.path}`}
            file={file}
            id={fileElementId(position)}
            review={review}
          />
        ))}
      </div>
    </>
  );
}

type FileViewProps = { file: DiffFile; id: string; review: Review | undefined };

function FileView({ file, id, review }: FileViewProps) {
  const [open, setOpen] = useState(file.additions + file.deletions <= FOLD_LINES);
  const name = file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`;
  return (
    <details
      class="diff-file"
      id={id}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="diff-path">{name}</span>
        {file.change !== 'modified' && <span class="tag">{file.change}</span>}
        <DiffCount additions={file.additions} deletions={file.deletions} />
      </summary>
      {file.binary && <p class="quiet diff-nothing">Binary file.</p>}
      {open && file.hunks.length > 0 && <DiffTable file={file} review={review} />}
    </details>
  );
}
