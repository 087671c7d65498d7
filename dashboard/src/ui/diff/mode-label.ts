import type { DiffFile } from './parse-diff.ts';

const EXECUTABLE = '100755';
/** Of files that are new or gone; git shows one that becomes another kind as gone and new. */
const KINDS: Readonly<Record<string, string>> = {
  [EXECUTABLE]: 'executable',
  '120000': 'symbolic link',
  '160000': 'submodule',
};

/** What a file's mode says of it or becomes, in words; null for a plain file that stays one. */
export function modeLabel({
  oldMode,
  newMode,
}: Pick<DiffFile, 'oldMode' | 'newMode'>): string | null {
  if (oldMode === null || newMode === null) return KINDS[newMode ?? oldMode ?? ''] ?? null;
  if (newMode === EXECUTABLE) return 'now executable';
  return oldMode === EXECUTABLE ? 'no longer executable' : 'mode changed';
}
