import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Real git in whose calls of one kind a test can make it wait. */
export type GatedGit = {
  gitPath: string;
  /** The next call with this word stands still until it is let go. */
  hold: (word: string) => Promise<{ reached: Promise<unknown>; letGo: () => Promise<void> }>;
  /** `begin WORD` and `end WORD` of every fetch, checkout, repack and gc, in order. */
  calls: () => Promise<string[]>;
};

const SCRIPT = `#!/bin/sh
folder=$(dirname "$0")
word=other
for each in "$@"; do
  case $each in fetch|checkout|repack|gc) word=$each; break ;; esac
done
[ $word = other ] || echo "begin $word" >>"$folder/calls"
if mv "$folder/hold-$word" "$folder/held-$word" 2>/dev/null; then
  echo reached >"$folder/reached-$word"
  read -r _ <"$folder/go-$word"
fi
git "$@"
code=$?
[ $word = other ] || echo "end $word" >>"$folder/calls"
exit $code
`;

/** Writes the program into a folder that exists. */
export async function gatedGit(folder: string): Promise<GatedGit> {
  const gitPath = join(folder, 'gated-git');
  const callsPath = join(folder, 'calls');
  await writeFile(gitPath, SCRIPT, { mode: 0o755 });
  await writeFile(callsPath, '');
  return {
    gitPath,
    hold: async (word) => {
      const [reachedPath, goPath] = ['reached', 'go'].map((name) =>
        join(folder, `${name}-${word}`),
      );
      for (const path of [reachedPath, goPath]) {
        await rm(path ?? '', { force: true });
        execFileSync('mkfifo', [path ?? '']);
      }
      await writeFile(join(folder, `hold-${word}`), '');
      return {
        reached: readFile(reachedPath ?? ''),
        letGo: () => writeFile(goPath ?? '', 'go\n'),
      };
    },
    calls: async () =>
      (await readFile(callsPath, 'utf8')).split('\n').filter((line) => line !== ''),
  };
}
