export type DiffLayout = 'unified' | 'split';

const KEY = 'switchyard.diff-layout';

/** As the reader left it; a browser that keeps nothing shows lines below each other. */
export function readDiffLayout(): DiffLayout {
  try {
    return localStorage.getItem(KEY) === 'split' ? 'split' : 'unified';
  } catch {
    return 'unified';
  }
}

/** Keeps the choice for this browser. */
export function keepDiffLayout(layout: DiffLayout): void {
  try {
    localStorage.setItem(KEY, layout);
  } catch {
    // The choice then lasts as long as the page.
    return;
  }
}
