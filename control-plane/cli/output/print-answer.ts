import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { CommandContext } from '../options/command-context.ts';
import { EXIT } from '../client/exit.ts';

/**
 * Ends a command successfully: prints the body as one line of JSON with `--json`, otherwise as text
 * for people.
 */
export function printAnswer(
  context: CommandContext,
  flags: { json?: boolean },
  body: unknown,
  text: () => string,
): void {
  context.out(flags.json === true ? `${toJson(body)}\n` : text());
  context.finish(EXIT.done);
}
