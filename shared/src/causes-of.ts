const MAX_CAUSES = 16;

/** An error and its chain of causes, the outermost first; the chain may be circular. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause)
    causes.push(cause);
  return causes;
}

/** Whether the message of an error, or of one of its causes, matches. */
export function someCauseSays(error: unknown, pattern: RegExp): boolean {
  return causesOf(error).some(({ message }) => pattern.test(message));
}

/** The outermost code of an error and its causes, such as `ECONNREFUSED`; null: none has one. */
export function causeCode(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return null;
}
