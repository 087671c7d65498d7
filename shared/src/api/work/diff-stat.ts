import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

/** Modes as git has them: 100644, 100755 (executable), 120000 (symbolic link), 160000 (submodule). */
export const ModeChange = namedObject('ModeChange', {
  /** For people: bytes that are no UTF-8 are U+FFFD, control characters are question marks. */
  path: z.string().max(1_000),
  from: z.string().max(6),
  to: z.string().max(6),
});
export type ModeChange = z.infer<typeof ModeChange>;

/** More are not listed. */
export const MAX_MODE_CHANGES = 50;

export const DiffStat = namedObject('DiffStat', {
  files: z.int(),
  insertions: z.int(),
  deletions: z.int(),
  /** Files whose mode changes, the first 50; left out where none does, and by runners that do not tell it. */
  modeChanges: z.array(ModeChange).max(MAX_MODE_CHANGES).optional(),
});
export type DiffStat = z.infer<typeof DiffStat>;
