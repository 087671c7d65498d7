import { cutText } from '@switchyard/shared/text/cut-text';
import type { z } from 'zod';
import { plainLine } from '@switchyard/shared/text/plain-text';

const MAX_PROBLEM_CHARS = 200;

/**
 * A record that the tracker returned but that is unreadable: it counts as neither found nor gone.
 */
export type UnreadableRecord = {
  /** The tracker's id; null when not even that is readable. */
  id: string | null;
  /** Name for people; for a comment the id of its issue. Null when it is unreadable too. */
  name: string | null;
  /** What is wrong with the record, without its content. */
  problem: string;
  /** State of an issue; null or left out when it is unreadable too. */
  state?: string | null;
  /**
   * The tracker's time of an issue's last change, epoch milliseconds; null or left out when it is
   * unreadable too.
   */
  updatedAtMs?: number | null;
  /**
   * The tracker refused or failed to return it: the record may be valid and returned at the next
   * try.
   */
  isRefused?: boolean;
};

/** Called for each unreadable record of a response; the others are used. */
export type OnUnreadable = (record: UnreadableRecord) => void;

/** Collects the unreadable records of a read, in order. */
export function collectUnreadable(): {
  unreadable: UnreadableRecord[];
  onUnreadable: OnUnreadable;
} {
  const unreadable: UnreadableRecord[] = [];
  const onUnreadable: OnUnreadable = (record) =>
    void unreadable.push({ ...record, problem: shownProblem(record.problem) });
  return { unreadable, onUnreadable };
}

/** A problem on one short line, since it may contain a service's own text. */
export function shownProblem(problem: string): string {
  return cutText(plainLine(problem), MAX_PROBLEM_CHARS, '…');
}

/** Where and how a record violates its schema. */
export function problemOf({ issues: [first] }: z.ZodError): string {
  const where = first?.path.map(String).join('.') ?? '';
  const problem = first?.message ?? 'not what it ought to be';
  return `${where}${where === '' ? '' : ': '}${problem}`;
}
