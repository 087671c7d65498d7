import { TrackerError } from './tracker.ts';
import type { OnUnreadable } from './unreadable-record.ts';

/** For who needs all of an answer or nothing. Throws a `TrackerError`. */
export const refuseUnreadable: OnUnreadable = ({ id, name, problem }) => {
  const what = name ?? id ?? 'a record';
  throw new TrackerError('response', `${what} cannot be read (${problem})`);
};
