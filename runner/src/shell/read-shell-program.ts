import { readFileSync } from 'node:fs';
import { shellWord } from './shell-word.ts';

const PART = /^\. \.\/([a-z-]+\.sh)$/gm;
const QUOTED_PART = /^(\w+)=\$\(cat \.\/([a-z-]+\.sh)\)$/gm;

/**
 * Reads a shell program that runs without its other files, as `sh -c PROGRAM`: the line `.
 * ./part.sh` is replaced by that file's content, and `name=$(cat ./part.sh)` by the content as one
 * quoted word, for a shell that this one starts. Both are valid shell, so that checkers understand
 * them. Throws when a file is missing.
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
