/** What an answer means by its status where nobody beside it says so. */
const MESSAGES: Readonly<Record<number, string>> = {
  408: 'no answer came in time',
  413: 'what was sent is too large for the service or a proxy before it',
  429: 'too many requests came from here',
  502: 'a proxy answers, and the service behind it does not',
  503: 'the service or a proxy before it takes no requests now',
  504: 'no answer came in time',
};

/**
 * Words for an answer of the service that has none of its own, as that of a proxy before it: a clause
 * without a full stop, with the status for those who look it up.
 */
export function answerMessage(status: number): string {
  const words = MESSAGES[status];
  return words === undefined
    ? `the service responded with status ${status}`
    : `${words} (status ${status})`;
}
