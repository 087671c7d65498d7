const MAX_CAUSES = 16;

/** An error and what it names as its cause, the outermost first; a chain may lead back to itself. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause)
    causes.push(cause);
  return causes;
}

/** Whether an error, or one that caused it, has these words. */
export function someCauseSays(error: unknown, words: RegExp): boolean {
  return causesOf(error).some(({ message }) => words.test(message));
}

/** The outermost code of an error and its causes, as `ECONNREFUSED`; null: none has one. */
export function causeCode(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return null;
}
