import { z } from 'zod';
import { type OnUnreadable, problemOf } from '../../../issues/tracker/unreadable-record.ts';

const Word = z.string().min(1).max(200).nullish().catch(null);
const Label = z.looseObject({ id: Word, identifier: Word, issueId: Word }).partial().catch({});

/** The rows of a page that can be read; `onUnreadable` is told of each other one. */
export function readableRows<Row extends z.ZodType>(
  row: Row,
  nodes: readonly unknown[],
  onUnreadable: OnUnreadable,
): z.output<Row>[] {
  return nodes.flatMap((node) => {
    const parsed = row.safeParse(node);
    if (parsed.success) return [parsed.data];
    const { id, identifier, issueId } = Label.parse(node);
    const name = identifier ?? issueId ?? null;
    onUnreadable({ id: id ?? null, name, problem: problemOf(parsed.error) });
    return [];
  });
}
