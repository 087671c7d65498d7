import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SUITES } from './suites.ts';
import { readTouchTable, suitesForChange } from './suites-for-change.ts';

const root = join(import.meta.dirname, '../../..');
const names = SUITES.map(({ name }) => name);
const header = '| Changed below | Suites |\n| --- | --- |\n';

describe('the table in docs/development.md', () => {
  const table = readTouchTable(readFileSync(join(root, 'docs/development.md'), 'utf8'), SUITES);

  it('names paths that are there, and suites that are there', () => {
    for (const path of table.flatMap(({ paths }) => paths)) {
      expect(existsSync(join(root, path)), path).toBe(true);
    }
  });

  it('leads from every suite with a folder of its own to that suite', () => {
    for (const name of names.filter((suite) => existsSync(join(root, 'test', suite)))) {
      expect(suitesForChange([`test/${name}/any.test.ts`], table, SUITES), name).toContain(name);
    }
  });
});

describe('the suites for a change', () => {
  const page = `# Page\n\n${header}| \`runner\` | \`docker\`, \`unit\` |\n| \`runner/src/egress\`, \`docs\` | \`redteam\` |\n\ntext\n`;
  const table = readTouchTable(page, SUITES);

  it('are those of the longest path, each once, in the order of the suites', () => {
    expect(suitesForChange(['runner/src/main.ts', 'runner/x'], table, SUITES)).toEqual([
      'unit',
      'docker',
    ]);
    expect(suitesForChange(['runner/src/egress/a.ts', 'docs/a.md'], table, SUITES)).toEqual([
      'redteam',
    ]);
    expect(suitesForChange([], table, SUITES)).toEqual([]);
  });

  it('are all of them for a file that no row knows, also where its name begins alike', () => {
    expect(suitesForChange(['package.json'], table, SUITES)).toEqual(names);
    expect(suitesForChange(['runner-x/a.ts'], table, SUITES)).toEqual(names);
  });

  it('cannot be told by a table with a suite that is not there, or by none', () => {
    expect(() => readTouchTable(`${header}| \`docs\` | \`none\` |`, SUITES)).toThrow(
      'no suite none',
    );
    expect(() => readTouchTable('# Page', SUITES)).toThrow('no table');
  });
});
