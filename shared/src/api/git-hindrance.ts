import { z } from 'zod';

const MAX_CHARACTERS = 2_000;
const MAX_COMMANDS = 5;

const HindranceCommand = z
  .object({
    /** What the command does, worded so that `about` and then `command` read as one sentence. */
    about: z.string().max(MAX_CHARACTERS),
    /** A command for a shell on the runner's host; names in it are quoted. */
    command: z.string().max(MAX_CHARACTERS),
  })
  .meta({ id: 'GitHindranceCommand' });

/** A problem that its runner finds with a repository which it can read but not fully work with. */
export const GitHindrance = z
  .object({
    /**
     * `push`: no branch can be pushed. `merge`: everything works, but a merge by the service would
     * be refused.
     */
    of: z.enum(['push', 'merge']),
    /** The problem and its fix, including the commands. */
    message: z.string().max(MAX_CHARACTERS),
    /** The problem alone, where `commands` has the fix. Older runners send neither field. */
    summary: z.string().max(MAX_CHARACTERS).optional(),
    commands: z.array(HindranceCommand).max(MAX_COMMANDS).optional(),
  })
  .meta({ id: 'GitHindrance' });
export type GitHindrance = z.infer<typeof GitHindrance>;
