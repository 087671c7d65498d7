import { z } from 'zod';

const MAX_CHARACTERS = 2_000;

/** What stands in the way of work with a repository that can be read, as its runner sees it. */
export const GitHindrance = z
  .object({
    /** `push`: no branch can be pushed. `merge`: all works, but a merge of ours would be refused. */
    of: z.enum(['push', 'merge']),
    /** What is the matter and what to do, with the commands. */
    message: z.string().max(MAX_CHARACTERS),
  })
  .meta({ id: 'GitHindrance' });
export type GitHindrance = z.infer<typeof GitHindrance>;
