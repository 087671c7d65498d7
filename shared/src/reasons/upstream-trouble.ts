import { cutText } from '../text/cut-text.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { plainLine } from '../text/plain-text.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';

const ADDRESS = /\(?\b[a-z][a-z0-9+.-]*:\/\/[^\s)]+\)?/gi;
const MAX_CHARS = 500;

/**
 * What is wrong with an upstream, as anybody who reads a tracker may see it: its own words where
 * they add to the cause, without addresses, which may be of an internal network.
 */
export function upstreamTrouble(code: ReasonCode, words: string): string {
  if (!REASON_CATALOGUE[code].hasDetail) return 'it cannot be reached';
  const shown = cutText(plainLine(words.replaceAll(ADDRESS, '')), MAX_CHARS);
  return shown === '' ? 'it refuses' : shown;
}
