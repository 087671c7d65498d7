import { cutText } from '@switchyard/shared/text/cut-text';
import type { z } from 'zod';
import { plainLine } from '@switchyard/shared/text/plain-text';

const MAX_PROBLEM_CHARS = 200;

/** A record that a tracker shows and that cannot be read: it is neither found nor gone. */
export type UnreadableRecord = {
  /** The tracker's id of it; null: not even that can be read. */
  id: string | null;
  /** As people call it; of a comment, the id of its issue. Null: that cannot be read either. */
  name: string | null;
  /** What is wrong with it, without anything of its content. */
  problem: string;
  /** Of an issue, the state that it is in; null or left out: that cannot be read either. */
  state?: string | null;
  /** Of an issue, the tracker's time of its last change, epoch milliseconds; the same. */
  updatedAtMs?: number | null;
  /** The tracker refused to show it, or failed: it may be sound, and shown with the next try. */
  isRefused?: boolean;
};

/** Told of each record of an answer that cannot be read; the others are used. */
export type OnUnreadable = (record: UnreadableRecord) => void;

/** What was told, in order, and who is to be told. */
export function collectUnreadable(): {
  unreadable: UnreadableRecord[];
  onUnreadable: OnUnreadable;
} {
  const unreadable: UnreadableRecord[] = [];
  const onUnreadable: OnUnreadable = (record) =>
    void unreadable.push({ ...record, problem: shownProblem(record.problem) });
  return { unreadable, onUnreadable };
}

/** What is wrong, on one line and not long: a part of it may be a service's own words. */
export function shownProblem(problem: string): string {
  return cutText(plainLine(problem), MAX_PROBLEM_CHARS, '…');
}

/** Where a record departs from its schema, and how. */
export function problemOf({ issues: [first] }: z.ZodError): string {
  const where = first?.path.map(String).join('.') ?? '';
  const words = first?.message ?? 'not what it ought to be';
  return `${where}${where === '' ? '' : ': '}${words}`;
}
