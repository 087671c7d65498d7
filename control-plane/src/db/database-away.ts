const MAX_CAUSES = 8;

/**
 * The database could not be asked: nothing was acknowledged that is not stored, and the same request
 * may succeed in a moment. `message` says why, for people, and holds no secret.
 */
export class DatabaseAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseAway';
  }
}

/** Whether an error, or one that caused it, is that the database is away; null when it is not. */
export function databaseAway(error: unknown): DatabaseAway | null {
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof DatabaseAway) return current;
    current = current.cause;
  }
  return null;
}
