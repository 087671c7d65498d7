/** The parameters of a failed statement are anybody's words, and last in its message. */
const STATEMENT_PARAMETERS = /(Failed query:[\s\S]*?)\nparams:[\s\S]*$/;

/** A text without what a failed statement was given: it may be a secret or a stranger's. */
export function withoutParameters(text: string): string {
  return text.replace(STATEMENT_PARAMETERS, '$1');
}

/**
 * The words of whatever was thrown, as they may be stored and shown. Of a failed statement its
 * cause, which says why, and neither its text nor its parameters.
 */
export function errorWords(error: unknown): string {
  if (!(error instanceof Error)) return withoutParameters(String(error));
  const isStatement = error.message.startsWith('Failed query:') && error.cause instanceof Error;
  return isStatement
    ? `the database refused: ${errorWords(error.cause)}`
    : withoutParameters(error.message);
}
