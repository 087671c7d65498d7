import { searchTerms, termRank } from '@switchyard/shared/text/term-rank';
import type { IconName } from '../../../ui/marks/icon.tsx';

export type Command = {
  id: string;
  label: string;
  /** A second line with the text around the match. */
  detail?: string;
  /** A key or a status that distinguishes the command from others. */
  hint: string;
  icon: IconName;
  run: () => void;
};
/** A result of another search, with its rank on the same scale. */
export type RankedCommand = Command & { rank: number };

const FOUND_MAX = 60;
/** Rank of a command with only the letters, below all that contain the words. */
const LOOSE_RANK = 0.5;

/**
 * The matches, best first and without duplicates: commands and other results by their words, then
 * commands that contain only the letters in this order.
 */
export function findCommands(
  commands: readonly Command[],
  found: readonly RankedCommand[],
  typed: string,
): Command[] {
  const terms = searchTerms(typed);
  if (terms.length === 0) return commands.slice(0, FOUND_MAX);
  const ranked = commands.map((command) => ({ ...command, rank: rankOf(command.label, terms) }));
  const nearest = new Map<string, RankedCommand>();
  for (const each of [...ranked, ...found]) {
    const known = nearest.get(each.id);
    if (each.rank > 0 && (known === undefined || known.rank < each.rank))
      nearest.set(each.id, each);
  }
  return [...nearest.values()].toSorted((a, b) => b.rank - a.rank).slice(0, FOUND_MAX);
}

function rankOf(label: string, terms: readonly string[]): number {
  const rank = termRank(terms, label);
  if (rank > 0) return rank;
  const low = label.toLowerCase();
  return terms.every((word) => low.includes(word) || hasLetters(low, word)) ? LOOSE_RANK : 0;
}

/** Whether all letters occur in this order, the first at the beginning of a word. */
function hasLetters(label: string, word: string): boolean {
  const [first = '', ...rest] = word;
  let position = ` ${label}`.indexOf(` ${first}`);
  for (const letter of rest) {
    if (position < 0) return false;
    position = label.indexOf(letter, position + 1);
  }
  return position >= 0;
}
