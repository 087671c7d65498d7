import { causesOf } from '@switchyard/shared/causes-of';

/**
 * The database is unreachable: nothing was acknowledged without being stored, and a retry may
 * succeed soon. `message` explains it to people and contains no secret.
 */
export class DatabaseAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseAway';
  }
}

/** The error, or its cause, that says that the database is unreachable; null when there is none. */
export function databaseAway(error: unknown): DatabaseAway | null {
  return causesOf(error).find((cause) => cause instanceof DatabaseAway) ?? null;
}
