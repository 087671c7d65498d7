/** The command was called in a way it does not take; its message is for the person who did. */
export class WrongUse extends Error {}

/** Also what `parseArgs` refuses; it names its own errors by code. */
export function isWrongUse(error: unknown): error is Error {
  if (error instanceof WrongUse) return true;
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}
