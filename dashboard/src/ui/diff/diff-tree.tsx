import { DiffCount } from './diff-count.tsx';
import { fileElementId } from './file-element-id.ts';
import type { DiffFile } from './parse-diff.ts';

/** The files of a difference, to go to one of them. */
export function DiffTree({ files }: { files: readonly DiffFile[] }) {
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
  const file = document.getElementById(fileElementId(position));
  if (!(file instanceof HTMLDetailsElement)) return;
  file.open = true;
  file.scrollIntoView({ block: 'start' });
  file.querySelector('summary')?.focus();
}
