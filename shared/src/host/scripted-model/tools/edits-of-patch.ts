/** What one section of a patch does to a file. */
export type PatchedFile =
  | { kind: 'update'; path: string; edits: { before: string; after: string }[] }
  | { kind: 'add'; path: string; content: string }
  | { kind: 'delete'; path: string };

const HEADER = /^\*\*\* (Update|Add|Delete) File: (.+)$/;

/**
 * Parses a patch in the form of `apply_patch` into replacements of text. Throws for a line that
 * such a patch cannot have.
 */
export function editsOfPatch(patch: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  let hunk: { before: string[]; after: string[] } | null = null;
  const closeHunk = () => {
    const file = files.at(-1);
    if (hunk !== null && file?.kind === 'update') {
      file.edits.push({ before: hunk.before.join('\n'), after: hunk.after.join('\n') });
    }
    hunk = null;
  };
  for (const line of patch.trim().split('\n')) {
    const header = HEADER.exec(line);
    const file = files.at(-1);
    if (line === '*** Begin Patch' || line === '*** End Patch') continue;
    if (header !== null) {
      closeHunk();
      files.push(openFile(header[1] ?? '', header[2] ?? ''));
    } else if (line.startsWith('@@') && file?.kind === 'update') {
      closeHunk();
      hunk = { before: [], after: [] };
    } else if (file?.kind === 'add' && line.startsWith('+')) {
      file.content += `${line.slice(1)}\n`;
    } else if (hunk !== null && /^[ +-]|^$/.test(line)) {
      const text = line.slice(1);
      if (!line.startsWith('+')) hunk.before.push(text);
      if (!line.startsWith('-')) hunk.after.push(text);
    } else {
      throw new Error(`not a line of a patch: ${line}`);
    }
  }
  closeHunk();
  return files;
}

function openFile(verb: string, path: string): PatchedFile {
  if (verb === 'Add') return { kind: 'add', path, content: '' };
  return verb === 'Delete' ? { kind: 'delete', path } : { kind: 'update', path, edits: [] };
}
