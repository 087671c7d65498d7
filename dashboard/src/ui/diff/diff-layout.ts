import { readStored, writeStored } from '../stored.ts';

export type DiffLayout = 'unified' | 'split';

const KEY = 'switchyard.diff-layout';

/** The stored layout; without a stored choice, unified. */
export function readDiffLayout(): DiffLayout {
  return readStored(KEY) === 'split' ? 'split' : 'unified';
}

/** Stores the layout in this browser. */
export function keepDiffLayout(layout: DiffLayout): void {
  writeStored(KEY, layout);
}
