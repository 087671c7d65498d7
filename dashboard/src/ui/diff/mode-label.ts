import type { DiffFile } from './parse-diff.ts';

const EXECUTABLE = '100755';
/**
 * Kinds of files by mode, for new and deleted ones; git shows a change of kind as a deletion and an
 * addition.
 */
const KINDS: Readonly<Record<string, string>> = {
  [EXECUTABLE]: 'executable',
  '120000': 'symbolic link',
  '160000': 'submodule',
};

/** A file's mode or its change, as text; null for a plain file that stays one. */
export function modeLabel({
  oldMode,
  newMode,
}: Pick<DiffFile, 'oldMode' | 'newMode'>): string | null {
  if (oldMode === null || newMode === null) return KINDS[newMode ?? oldMode ?? ''] ?? null;
  if (newMode === EXECUTABLE) return 'now executable';
  return oldMode === EXECUTABLE ? 'no longer executable' : 'mode changed';
}
