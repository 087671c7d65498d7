import { z } from 'zod';

export const DiffStat = z
  .object({ files: z.int(), insertions: z.int(), deletions: z.int() })
  .meta({ id: 'DiffStat' });
export type DiffStat = z.infer<typeof DiffStat>;
