import type { IconName } from '../../ui/icon.tsx';

export type Command = {
  id: string;
  label: string;
  /** A key, a status: what tells it from others at a glance. */
  hint: string;
  icon: IconName;
  run: () => void;
};

const FOUND_MAX = 40;
/** So much less counts a word of which only the letters occur. */
const LOOSE = 100;

/**
 * Commands in which every word occurs, those whose label begins with what was typed first; then
 * those that have its letters in this order.
 */
export function findCommands(commands: readonly Command[], typed: string): Command[] {
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.slice(0, FOUND_MAX);
  return commands
    .map((command) => ({ command, rank: rankOf(command.label.toLowerCase(), words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, FOUND_MAX)
    .map(({ command }) => command);
}

function rankOf(label: string, words: readonly string[]): number {
  let rank = 1;
  for (const word of words) {
    const position = label.indexOf(word);
    if (position < 0 && !hasLetters(label, word)) return 0;
    if (position < 0) rank /= LOOSE;
    else if (position === 0) rank += 2;
    else if (label[position - 1] === ' ') rank += 1;
  }
  return rank;
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
