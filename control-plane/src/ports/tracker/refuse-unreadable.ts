import { TrackerError } from './tracker.ts';
import type { OnUnreadable } from './unreadable-record.ts';

/** Throws a `TrackerError` for an unreadable record; for callers that need all records or none. */
export const refuseUnreadable: OnUnreadable = ({ id, name, problem }) => {
  const what = name ?? id ?? 'a record';
  throw new TrackerError('response', `${what} cannot be read (${problem})`);
};
