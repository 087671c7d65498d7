import { readStored, writeStored } from '../stored.ts';

export type DiffLayout = 'unified' | 'split';

const KEY = 'switchyard.diff-layout';

/** As the reader left it; a browser that keeps nothing shows lines below each other. */
export function readDiffLayout(): DiffLayout {
  return readStored(KEY) === 'split' ? 'split' : 'unified';
}

/** Keeps the choice for this browser. */
export function keepDiffLayout(layout: DiffLayout): void {
  writeStored(KEY, layout);
}
