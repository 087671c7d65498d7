import { cutText, edgeBefore } from './cut-text.ts';

const WORDS_MAX = 8;
/** A word in a title says more than one in a text, and a whole one more than a part. */
const IN_TITLE = { whole: 40, start: 20, part: 8 };
const IN_TEXT = { whole: 6, start: 3, part: 1 };
const SAME_TITLE = 1_000;
const LETTER = /[\p{L}\p{N}]/u;

/** The words of a query as they are looked for; more than eight say nothing further. */
export function searchTerms(query: string): string[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, WORDS_MAX);
}

/** How near title and text come to all words; 0 when a word occurs in neither. */
export function termRank(words: readonly string[], title: string, text = ''): number {
  const lowTitle = title.toLowerCase();
  const lowText = text.toLowerCase();
  let rank = lowTitle === words.join(' ') ? SAME_TITLE : 0;
  for (const word of words) {
    const worth = worthOf(lowTitle, word, IN_TITLE) || worthOf(lowText, word, IN_TEXT);
    if (worth === 0) return 0;
    rank += worth;
  }
  return rank;
}

function worthOf(text: string, word: string, worth: typeof IN_TITLE): number {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const starts = !LETTER.test(text[at - 1] ?? ' ');
    if (starts && !LETTER.test(text[at + word.length] ?? ' ')) return worth.whole;
    best = Math.max(best, starts ? worth.start : worth.part);
  }
  return best;
}

/** A line of the text around the first of the words, at most `lengthMax` characters. */
export function excerptAround(words: readonly string[], text: string, lengthMax: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= lengthMax) return line;
  const low = line.toLowerCase();
  const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const room = lengthMax - 2;
  const from = Math.max(0, Math.min(first - Math.floor(room / 3), line.length - room));
  const rest = line.slice(edgeBefore(line, from));
  const cut = cutText(rest, room);
  return `${from > 0 ? '…' : ''}${cut.trim()}${cut.length < rest.length ? '…' : ''}`;
}
