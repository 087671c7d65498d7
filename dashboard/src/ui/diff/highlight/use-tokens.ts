import { useEffect, useMemo, useState } from 'preact/hooks';
import { type HunkData, type HunkTokens, markEdits, tokenize } from 'react-diff-view';
import { colourHunks } from './colour-hunks.ts';
import { languageOf } from './language-of.ts';
import type { MarkBudget } from './mark-budget.ts';

/**
 * The marks of changes within lines at once, and the colours of the language when they are ready.
 */
export function useTokens(path: string, hunks: HunkData[], budget: MarkBudget): HunkTokens | null {
  const edits = useMemo(() => editsOf(hunks, budget), [hunks, budget]);
  const [coloured, setColoured] = useState<{ of: HunkData[]; tokens: HunkTokens } | null>(null);
  useEffect(() => {
    const language = languageOf(path);
    if (language === null) return;
    let gone = false;
    void colourHunks(hunks, language).then((tokens) => {
      if (!gone && tokens !== null) setColoured({ of: hunks, tokens });
    });
    return () => {
      gone = true;
    };
  }, [path, hunks]);
  return coloured?.of === hunks ? coloured.tokens : edits;
}

/**
 * The changes within lines, which reveal a single changed letter; null where that takes too long.
 */
function editsOf(hunks: HunkData[], budget: MarkBudget): HunkTokens | null {
  const find = () =>
    tokenize(hunks, { highlight: false, enhancers: [markEdits(hunks, { type: 'block' })] });
  try {
    return budget.spend(hunks, find);
  } catch {
    // Without marks, all lines are still shown.
    return null;
  }
}
