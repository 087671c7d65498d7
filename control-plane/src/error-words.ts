/** A text without what a failed statement was given: anybody's words, and last in its message. */
export function withoutParameters(text: string): string {
  const statementAt = text.indexOf('Failed query:');
  const end = statementAt === -1 ? -1 : text.indexOf('\nparams:', statementAt);
  return end === -1 ? text : text.slice(0, end);
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
