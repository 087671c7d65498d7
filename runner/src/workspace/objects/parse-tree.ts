export type ParsedTree = {
  /** Its folders, with the length of their names. */
  folders: { id: string; nameBytes: number }[];
  /** Number of files, links and submodules. */
  fileCount: number;
  longestFileNameBytes: number;
  /** Empty unless requested. */
  fileIds: string[];
};

const ID_BYTES = 20;
const OCTAL = 8;
const KIND_MASK = 0o170000;
const FOLDER = 0o040000;

/** Parses a tree object as git stores it: entries of `mode name NUL id`. */
export function parseTree(content: Buffer, { withFileIds }: { withFileIds: boolean }): ParsedTree {
  const tree: ParsedTree = { folders: [], fileCount: 0, longestFileNameBytes: 0, fileIds: [] };
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, space + 1);
    const end = nul + 1 + ID_BYTES;
    // Object checks refuse such a tree earlier; nothing readable follows.
    if (space === -1 || nul === -1 || end > content.length) break;
    const nameBytes = nul - space - 1;
    const id = (): string => content.toString('hex', nul + 1, end);
    if ((parseInt(content.toString('latin1', at, space), OCTAL) & KIND_MASK) === FOLDER) {
      tree.folders.push({ id: id(), nameBytes });
    } else {
      tree.fileCount += 1;
      tree.longestFileNameBytes = Math.max(tree.longestFileNameBytes, nameBytes);
      if (withFileIds) tree.fileIds.push(id());
    }
    at = end;
  }
  return tree;
}
