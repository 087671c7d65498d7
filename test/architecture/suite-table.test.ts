import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesOfSuite } from '../support/suites/files-of-suite.ts';
import { suitesForChange, readTouchTable } from '../support/suites/suites-for-change.ts';
import { SUITES } from '../support/suites/suites.ts';
import { reachedFrom } from './reached-from.ts';
import { readSourceTree } from './source-tree.ts';

const root = join(import.meta.dirname, '../..');

it('the table of folders and suites names every suite whose tests import from a folder', () => {
  const page = readFileSync(join(root, 'docs/development.md'), 'utf8');
  const table = readTouchTable(page, SUITES);
  // Types are erased before a test runs: a change of one shows in the type check.
  const edges = readSourceTree(root).edges.filter(({ typeOnly }) => !typeOnly);
  const left = SUITES.flatMap((suite) =>
    [...reachedFrom(filesOfSuite(suite), edges)]
      .filter((path) => !suitesForChange([path], table, SUITES).includes(suite.name))
      .map((path) => `${path} lies in a row without ${suite.name}`),
  );
  expect(left).toEqual([]);
});
