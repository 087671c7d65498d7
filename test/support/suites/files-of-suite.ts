import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Suite } from './suites.ts';

/** The checkout. */
export const ROOT = join(import.meta.dirname, '../../..');

/** The test files of a suite, from the root of the checkout. */
export function filesOfSuite({ include, exclude = [] }: Pick<Suite, 'include' | 'exclude'>) {
  return globSync([...include], {
    cwd: ROOT,
    exclude: [...exclude, '**/node_modules/**', '**/dist/**', '.toolchain/**'],
  });
}
