import { causesOf } from '@switchyard/shared/causes-of';

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
  return causesOf(error).find((cause) => cause instanceof DatabaseAway) ?? null;
}
