import { networkTrouble } from '@switchyard/shared/network/network-trouble';
import { causeCode, causesOf } from '@switchyard/shared/causes-of';
import { AnswerTooLong } from './read-body.ts';

const CANNOT_BE_MADE =
  'the address or the credential has a character that cannot be sent, for example a line break: store it again in one piece';

/**
 * Why `fetch` got no response, in plain words and codes: messages of the network stack contain
 * addresses and headers, and so secrets.
 */
export function requestTrouble(error: unknown): string {
  for (const cause of causesOf(error)) {
    if (cause instanceof AnswerTooLong) return cause.message;
    if (cause.name === 'TimeoutError') return 'no answer in time';
  }
  const code = causeCode(error);
  if (code !== null) return networkTrouble(code);
  // A network failure has a cause; a request that was never sent has none.
  const wasMade = !(error instanceof TypeError) || error.cause !== undefined;
  return wasMade ? 'no connection' : CANNOT_BE_MADE;
}
