import { useMemo } from 'preact/hooks';
import { plural } from '../format/number.ts';
import { type DiffFile, type DiffHunk, parseDiff } from './parse-diff.ts';
import './diff-view.css';

/** Files with more changed lines than this start folded. */
const FOLD_LINES = 400;

/** A unified diff, file by file, as text. */
export function DiffView({ diff }: { diff: string }) {
  const files = useMemo(() => parseDiff(diff), [diff]);
  if (files.length === 0) return <p class="quiet">No difference.</p>;
  return (
    <div class="diff">
      {files.map((file, position) => (
        <DiffFileView key={`${position}:${file.path}`} file={file} />
      ))}
    </div>
  );
}

function DiffFileView({ file }: { file: DiffFile }) {
  const name = file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`;
  return (
    <details class="diff-file" open={file.additions + file.deletions <= FOLD_LINES}>
      <summary>
        <span class="diff-path">{name}</span>
        {file.change !== 'modified' && <span class="tag">{file.change}</span>}
        <DiffCount additions={file.additions} deletions={file.deletions} />
      </summary>
      {file.binary ? (
        <p class="quiet">Binary file.</p>
      ) : (
        file.hunks.map((hunk, position) => <HunkView key={position} hunk={hunk} />)
      )}
    </details>
  );
}

const SIGNS = { add: '+', del: '−', same: ' ', note: ' ' } as const;

/** The lines of one hunk with their numbers. */
function HunkView({ hunk }: { hunk: DiffHunk }) {
  return (
    <div class="hunk">
      <div class="hunk-head">{hunk.header}</div>
      {hunk.lines.map((line, position) => (
        <div key={position} class={`line ${line.kind}`}>
          <span class="number">{line.oldNumber ?? ''}</span>
          <span class="number">{line.newNumber ?? ''}</span>
          <span class="sign">{SIGNS[line.kind]}</span>
          <span class="code">{line.text}</span>
        </div>
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
