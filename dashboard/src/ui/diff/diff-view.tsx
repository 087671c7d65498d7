import { useMemo } from 'preact/hooks';
import { plural } from '../../format/number.ts';
import { DiffLineView } from './diff-line.tsx';
import { type DiffFile, type DiffHunk, parseDiff } from './parse-diff.ts';
import type { Review } from './review.ts';
import './diff-view.css';

/** Files with more changed lines than this start folded. */
const FOLD_LINES = 400;

/** A unified diff, file by file, as text; with `review`, each line takes comments. */
export function DiffView({ diff, review }: { diff: string; review?: Review }) {
  const files = useMemo(() => parseDiff(diff), [diff]);
  if (files.length === 0) return <p class="quiet">No difference.</p>;
  return (
    <div class="diff">
      {files.map((file, position) => (
        <DiffFileView
          key={`${position}:${file.path}`}
          file={file}
          id={fileId(position)}
          {...(review === undefined ? {} : { review })}
        />
      ))}
    </div>
  );
}

const fileId = (position: number) => `diff-file-${position}`;

/** The files of a diff, to go to one of them. */
export function DiffTree({ diff }: { diff: string }) {
  const files = useMemo(() => parseDiff(diff), [diff]);
  return (
    <nav class="diff-tree" aria-label="Changed files">
      <ul>
        {files.map((file, position) => (
          <li key={`${position}:${file.path}`}>
            <button type="button" title={file.path} onClick={() => showFile(position)}>
              <span class="diff-tree-path">
                <span class="quiet">{folderOf(file.path)}</span>
                {file.path.slice(folderOf(file.path).length)}
              </span>
              <DiffCount additions={file.additions} deletions={file.deletions} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function showFile(position: number): void {
  const file = document.getElementById(fileId(position));
  if (!(file instanceof HTMLDetailsElement)) return;
  file.open = true;
  file.scrollIntoView({ block: 'start' });
  file.querySelector('summary')?.focus();
}

function DiffFileView({ file, id, review }: { file: DiffFile; id: string; review?: Review }) {
  const name = file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`;
  return (
    <details class="diff-file" id={id} open={file.additions + file.deletions <= FOLD_LINES}>
      <summary>
        <span class="diff-path">{name}</span>
        {file.change !== 'modified' && <span class="tag">{file.change}</span>}
        <DiffCount additions={file.additions} deletions={file.deletions} />
      </summary>
      {file.binary ? (
        <p class="quiet">Binary file.</p>
      ) : (
        file.hunks.map((hunk, position) => (
          <HunkView
            key={position}
            hunk={hunk}
            path={file.path}
            {...(review === undefined ? {} : { review })}
          />
        ))
      )}
    </details>
  );
}

/** The lines of one hunk with their numbers. */
function HunkView({ hunk, path, review }: { hunk: DiffHunk; path: string; review?: Review }) {
  return (
    <div class="hunk" tabIndex={0} role="group" aria-label={`${path} ${hunk.header}`}>
      <div class="hunk-head">{hunk.header}</div>
      {hunk.lines.map((line, position) => (
        <DiffLineView
          key={position}
          line={line}
          path={path}
          {...(review === undefined ? {} : { review })}
        />
      ))}
    </div>
  );
}

/** `+12 −3`, said in words to those who cannot see the colours. */
export function DiffCount({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span
      class="diff-count"
      title={`${plural(additions, 'addition')}, ${plural(deletions, 'deletion')}`}
    >
      <ins>+{additions}</ins> <del>−{deletions}</del>
    </span>
  );
}
