import { z } from 'zod';
import { namedObject } from '../named-object.ts';

export const DiffStat = namedObject('DiffStat', {
  files: z.int(),
  insertions: z.int(),
  deletions: z.int(),
});
export type DiffStat = z.infer<typeof DiffStat>;
