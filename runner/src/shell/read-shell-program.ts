import { readFileSync } from 'node:fs';
import { shellWord } from './shell-word.ts';

const PART = /^\. \.\/([a-z-]+\.sh)$/gm;
const QUOTED_PART = /^(\w+)=\$\(cat \.\/([a-z-]+\.sh)\)$/gm;

/**
 * Reads a shell program as one text for `sh -c`. A line that sources `./part.sh` becomes that
 * file's content; `name=$(cat ./part.sh)` assigns the content as one quoted word, for an inner
 * `sh -c`. Both are valid shell, so that checkers understand them. Throws when a file is missing.
 */
export function readShellProgram(url: URL): string {
  const part = (name: string): string => readShellProgram(new URL(name, url));
  return readFileSync(url, 'utf8')
    .replaceAll(PART, (_line, name: string) => part(name))
    .replaceAll(
      QUOTED_PART,
      (_line, variable: string, name: string) => `${variable}=${shellWord(part(name))}`,
    );
}
