import type { z } from 'zod';

const MAX_PROBLEM_CHARS = 200;

/** A record that a tracker shows and that cannot be read: it is neither found nor gone. */
export type UnreadableRecord = {
  /** The tracker's id of it; null: not even that can be read. */
  id: string | null;
  /** As people call it; of a comment, the id of its issue. Null: that cannot be read either. */
  name: string | null;
  /** What is wrong with it, without anything of its content. */
  problem: string;
};

/** Told of each record of an answer that cannot be read; the others are used. */
export type OnUnreadable = (record: UnreadableRecord) => void;

/** Where a record departs from its schema, and how. */
export function problemOf({ issues: [first] }: z.ZodError): string {
  const where = first?.path.map(String).join('.') ?? '';
  const words = first?.message ?? 'not what it ought to be';
  return `${where}${where === '' ? '' : ': '}${words}`.slice(0, MAX_PROBLEM_CHARS);
}
