import { z } from 'zod';

/**
 * Who merges a repository's pull requests. `never`: people do, outside the merge queue. `ask`: the
 * merge queue, once a person asks for it. `when-green`: the merge queue, by itself.
 */
export const MergeMode = z.enum(['never', 'ask', 'when-green']).meta({ id: 'MergeMode' });
export type MergeMode = z.infer<typeof MergeMode>;

/** When the pull requests of a repository are merged without a person's reading. */
export const MergePolicy = z
  .strictObject({
    mode: MergeMode,
    max_changed_lines: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('when-green leaves larger pull requests to a person. Default: no limit.'),
    within_scope: z
      .boolean()
      .optional()
      .describe('when-green leaves changes outside the scope of the repository to a person.'),
  })
  .meta({ id: 'MergePolicy' });
export type MergePolicy = z.infer<typeof MergePolicy>;
