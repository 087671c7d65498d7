import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

/**
 * Change of a file's mode. Modes are git's: 100644, 100755 (executable), 120000 (symbolic link),
 * 160000 (submodule).
 */
export const ModeChange = namedObject('ModeChange', {
  /**
   * Path for display: bytes that are not UTF-8 become U+FFFD, control characters become question
   * marks.
   */
  path: z.string().max(1_000),
  from: z.string().max(6),
  to: z.string().max(6),
});
export type ModeChange = z.infer<typeof ModeChange>;

/** Maximum number of mode changes that are listed; further ones are left out. */
export const MAX_MODE_CHANGES = 50;

export const DiffStat = namedObject('DiffStat', {
  files: z.int(),
  insertions: z.int(),
  deletions: z.int(),
  /**
   * Files whose mode changes, the first 50; left out where no mode changes, and by runners that do
   * not report it.
   */
  modeChanges: z.array(ModeChange).max(MAX_MODE_CHANGES).optional(),
});
export type DiffStat = z.infer<typeof DiffStat>;
