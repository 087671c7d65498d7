import { cutText } from '../text/cut-text.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { plainLine } from '../text/plain-text.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';

const ADDRESS = /\(?\b[a-z][a-z0-9+.-]*:\/\/[^\s)]+\)?/gi;
const MAX_CHARS = 500;

/**
 * The reason text of an issue that waits for the model provider or the code host:
 * "waiting for …: trouble".
 */
export function waitingForUpstream(what: UpstreamName, trouble: string): string {
  return `waiting for ${what}: ${trouble}`;
}
export type UpstreamName = 'the model provider' | 'the code host';
const WAITING_FOR = /^waiting for (?:the model provider|the code host): /;

/** The reason without `waiting for …: `, for texts whose reason code already names the upstream. */
export function troubleOfWaiting(reason: string): string {
  return reason.replace(WAITING_FOR, '');
}

/**
 * An upstream's trouble for everybody who reads a tracker: its own message where that adds to the
 * cause, without addresses, which may belong to an internal network.
 */
export function upstreamTrouble(code: ReasonCode, message: string): string {
  if (!REASON_CATALOGUE[code].hasDetail) return 'it cannot be reached';
  const shown = cutText(plainLine(message.replaceAll(ADDRESS, '')), MAX_CHARS);
  return shown === '' ? 'it refuses' : shown;
}
