import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Suite, SUITES } from './suites.ts';

const root = join(import.meta.dirname, '../../..');
const find = (patterns: readonly string[], exclude: readonly string[] = []) =>
  globSync([...patterns], {
    cwd: root,
    exclude: [...exclude, '**/node_modules/**', '**/dist/**', '.toolchain/**'],
  });
const filesOf = ({ include, exclude }: Suite) => find(include, exclude);

it('hold every test file of the checkout, each once', () => {
  const held = SUITES.flatMap(filesOf);
  expect(held.toSorted()).toEqual(find(['**/*.test.{ts,tsx}']).toSorted());
});

it('name walks for the gate that are theirs', () => {
  for (const suite of SUITES) {
    const files = filesOf(suite);
    const walks = suite.gate === 'all' ? files : suite.gate;
    expect(files, suite.name).toEqual(expect.arrayContaining([...walks]));
  }
});
