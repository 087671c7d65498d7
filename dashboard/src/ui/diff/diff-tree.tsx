import { DiffCount } from './diff-count.tsx';
import { showFile } from './show-file.ts';
import type { DiffFile } from './parse-diff.ts';

/** The list of a diff's files, with links to them. */
export function DiffTree(props: { files: readonly DiffFile[]; viewed: readonly boolean[] }) {
  const { files, viewed } = props;
  return (
    <nav class="diff-tree" aria-label="Changed files">
      <ul>
        {files.map((file, position) => (
          <li key={`${position}:${file.path}`} class={viewed[position] === true ? 'viewed' : ''}>
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
