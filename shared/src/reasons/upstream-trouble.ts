import { cutText } from '../text/cut-text.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { plainLine } from '../text/plain-text.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';

const ADDRESS = /\(?\b[a-z][a-z0-9+.-]*:\/\/[^\s)]+\)?/gi;
const MAX_CHARS = 500;

/** The words of an issue that waits for an upstream, and what they begin with. */
export function waitingForUpstream(what: UpstreamName, trouble: string): string {
  return `waiting for ${what}: ${trouble}`;
}
export type UpstreamName = 'the model provider' | 'the code host';
const WAITING_FOR = /^waiting for (?:the model provider|the code host): /;

/** The trouble alone, for a place that says by the code which upstream is waited for. */
export function troubleOfWaiting(reason: string): string {
  return reason.replace(WAITING_FOR, '');
}

/**
 * What is wrong with an upstream, as anybody who reads a tracker may see it: its own words where
 * they add to the cause, without addresses, which may be of an internal network.
 */
export function upstreamTrouble(code: ReasonCode, words: string): string {
  if (!REASON_CATALOGUE[code].hasDetail) return 'it cannot be reached';
  const shown = cutText(plainLine(words.replaceAll(ADDRESS, '')), MAX_CHARS);
  return shown === '' ? 'it refuses' : shown;
}
