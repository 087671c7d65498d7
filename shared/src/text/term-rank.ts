import { cutText, edgeBefore } from './cut-text.ts';

const WORDS_MAX = 8;
/** Score of a match in a title, by how much of the word matches; titles score higher than texts. */
const IN_TITLE = { whole: 40, start: 20, part: 8 };
const IN_TEXT = { whole: 6, start: 3, part: 1 };
const SAME_TITLE = 1_000;
const LETTER = /[\p{L}\p{N}]/u;

/** The search terms of a query, at most eight; further ones are ignored. */
export function searchTerms(query: string): string[] {
  const terms = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return [...new Set(terms)].slice(0, WORDS_MAX);
}

/** Score of title and text for all terms; 0 when a term occurs in neither. */
export function termRank(terms: readonly string[], title: string, text = ''): number {
  const lowTitle = title.toLowerCase();
  const lowText = text.toLowerCase();
  let rank = lowTitle === terms.join(' ') ? SAME_TITLE : 0;
  for (const word of terms) {
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

/** The part of the text around its first match, on one line of at most `lengthMax` characters. */
export function excerptAround(terms: readonly string[], text: string, lengthMax: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= lengthMax) return line;
  const low = line.toLowerCase();
  const places = terms.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const room = lengthMax - 2;
  const from = Math.max(0, Math.min(first - Math.floor(room / 3), line.length - room));
  const rest = line.slice(edgeBefore(line, from));
  const cut = cutText(rest, room);
  return `${from > 0 ? '…' : ''}${cut.trim()}${cut.length < rest.length ? '…' : ''}`;
}
