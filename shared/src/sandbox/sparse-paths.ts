import { z } from 'zod';

/** Path of a folder from the repository's root; no patterns. */
const SparsePath = z
  .string()
  .max(1_000)
  .regex(
    /^[^/\\*?[\]!#"\p{Cc}]+(?:\/[^/\\*?[\]!#"\p{Cc}]+)*$/u,
    'must be a folder such as packages/shop',
  )
  .refine((path) => path.split('/').every((part) => !/^(?:\.{1,2}|\s*|\.git)$/i.test(part)), {
    message: 'must stay inside the repository',
  });

/** The folders of its repository that a workspace contains, in addition to files above them. */
export const SparsePaths = z
  .array(SparsePath)
  .min(1)
  .max(100)
  .describe('Only these folders, and files above them, are checked out. Default: everything.');
export type SparsePaths = z.infer<typeof SparsePaths>;
