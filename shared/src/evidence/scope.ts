import { z } from 'zod';

const MAX_SCOPE_PATHS = 100;
const MAX_PATH_CHARS = 300;
/** Number of files outside the scope that are listed by name. */
export const MAX_PATHS_NAMED = 20;

/**
 * Files that the work is expected to change, as globs over paths of the repository: `src/**`,
 * `docs/*.md`.
 */
export const Scope = z
  .array(
    z
      .string()
      .min(1)
      .max(MAX_PATH_CHARS)
      .regex(/^(?![/\\])\P{Cc}*$/u, 'must be a glob below the repository, such as src/**'),
  )
  .min(1)
  .max(MAX_SCOPE_PATHS);

/** Changed files that no glob of the scope matches. */
export const OutsideScope = z
  .object({
    files: z.int().min(0),
    /** The first of these files, in order of name. */
    paths: z.array(z.string().max(MAX_PATH_CHARS)).max(MAX_PATHS_NAMED),
  })
  .meta({ id: 'OutsideScope' });
export type OutsideScope = z.infer<typeof OutsideScope>;
