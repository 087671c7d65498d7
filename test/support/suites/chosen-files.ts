import { join, relative } from 'node:path';
import { filesOfSuite, ROOT } from './files-of-suite.ts';
import type { Suite } from './suites.ts';

/** Which of all tests a run is about. */
export type Choice = {
  /** Whether only the gate's files of each suite are to run. */
  isGate: boolean;
  /** Arguments that name files and folders; none: all. */
  filters: readonly string[];
};

/** The files of a suite that a run is about, also where the machine lacks what they need. */
export function chosenFiles(suite: Suite, { isGate, filters }: Choice): string[] {
  const files = isGate && suite.gate !== 'all' ? [...suite.gate] : filesOfSuite(suite);
  if (filters.length === 0) return files;
  const parts = filters.map(pathPart);
  return files.filter((file) => parts.some((part) => join(ROOT, file).includes(part)));
}

/** As vitest takes such an argument: any part of a path, perhaps with the number of a line. */
function pathPart(filter: string): string {
  const path = filter.replace(/:\d+$/, '');
  return path.startsWith('.') ? relative(ROOT, path) : path;
}
