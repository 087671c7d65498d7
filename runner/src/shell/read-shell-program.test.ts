import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readShellProgram } from './read-shell-program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swy-shell-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return readShellProgram(pathToFileURL(join(folder, 'main.sh')));
}
/** Runs it where none of its files are. */
const run = (program: string, ...args: string[]) =>
  spawnSync('sh', ['-c', program, 'main', ...args], { cwd: '/', encoding: 'utf8' }).stdout;

describe('a shell program of several files', () => {
  it('runs where only its text is', () => {
    const program = read({
      'main.sh':
        '#!/bin/sh\n. ./greet.sh\neach=$(cat ./each.sh)\nprintf "%s\\n" "$@" | xargs sh -c "$each" each\n',
      'greet.sh': "#!/bin/sh\n# It's a part.\ngreet() { printf 'Hello %s\\n' \"$1\"; }\n",
      'each.sh': '#!/bin/sh\n. ./greet.sh\nfor name do greet "it\'s $name"; done\n',
    });
    expect(run(program, 'a', 'b')).toBe("Hello it's a\nHello it's b\n");
  });

  it('keeps letters that a replacement would read', () => {
    const program = read({
      'main.sh': 'word=$(cat ./word.sh)\n. ./word.sh\nprintf \'%s\' "$word"\n',
      'word.sh': 'echo "$$" "$\'" \'$&\' >/dev/null\n',
    });
    expect(run(program)).toBe('echo "$$" "$\'" \'$&\' >/dev/null\n');
  });

  it('is refused where a part is missing', () => {
    expect(() => read({ 'main.sh': '. ./gone.sh\n' })).toThrow(/ENOENT.*gone\.sh/);
  });
});
