import { z } from 'zod';

const MAX_CHARACTERS = 2_000;
const MAX_COMMANDS = 5;

const HindranceCommand = z
  .object({
    /** What it does, as the beginning of a sentence that the command ends. */
    about: z.string().max(MAX_CHARACTERS),
    /** For a shell on the runner's host; names in it are quoted. */
    command: z.string().max(MAX_CHARACTERS),
  })
  .meta({ id: 'GitHindranceCommand' });

/** What stands in the way of work with a repository that can be read, as its runner sees it. */
export const GitHindrance = z
  .object({
    /** `push`: no branch can be pushed. `merge`: all works, but a merge of ours would be refused. */
    of: z.enum(['push', 'merge']),
    /** What is the matter and what to do, with the commands. */
    message: z.string().max(MAX_CHARACTERS),
    /** What is the matter, where `commands` say what to do. Older runners give neither. */
    summary: z.string().max(MAX_CHARACTERS).optional(),
    commands: z.array(HindranceCommand).max(MAX_COMMANDS).optional(),
  })
  .meta({ id: 'GitHindrance' });
export type GitHindrance = z.infer<typeof GitHindrance>;
