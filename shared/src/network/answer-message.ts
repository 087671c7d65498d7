/** Meaning of a response's status where its body explains nothing. */
const MESSAGES: Readonly<Record<number, string>> = {
  408: 'no answer came in time',
  413: 'what was sent is too large for the service or a proxy before it',
  429: 'too many requests came from here',
  502: 'a proxy answers, and the service behind it does not',
  503: 'the service or a proxy before it takes no requests now',
  504: 'no answer came in time',
};

/**
 * Text for a response without a message of the service, as from a proxy in front of it: a clause
 * without a full stop, with the status for further research.
 */
export function answerMessage(status: number): string {
  const message = MESSAGES[status];
  return message === undefined
    ? `the service responded with status ${status}`
    : `${message} (status ${status})`;
}
