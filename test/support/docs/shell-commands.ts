import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../e2e/start-service.ts';

/** One command of a page, as a reader would copy it; `page:line` says where it stands. */
export type ShellCommand = { place: string; text: string };

/** Every command of a page's `sh` blocks in order; lines that a backslash continues are one. */
export function shellCommands(page: string, root = repositoryRoot): ShellCommand[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].flatMap((block) => {
    const [, indent = '', body = ''] = block;
    const firstLine = text.slice(0, block.index).split('\n').length + 1;
    return commandsOf(body, firstLine, indent.length).map(({ line, command }) => ({
      place: `${page}:${line}`,
      text: command,
    }));
  });
}

/** A command goes on while a backslash or an open quote says so; comments and empty lines are none. */
function commandsOf(body: string, firstLine: number, indent: number) {
  const found: { line: number; command: string }[] = [];
  let open = '';
  let openedAt = 0;
  for (const [at, raw] of body.split('\n').entries()) {
    const line = raw.slice(indent);
    if (open === '') openedAt = firstLine + at;
    open = open === '' ? line : `${open}\n${line}`;
    const goesOn = open.endsWith('\\') || (open.split("'").length - 1) % 2 === 1;
    if (goesOn) continue;
    const command = open.replace(/\s+#\s.*$/, '').trim();
    if (command !== '' && !command.startsWith('#')) found.push({ line: openedAt, command });
    open = '';
  }
  return found;
}
