import { z } from 'zod';
import { type OnUnreadable, problemOf } from '../../../ports/tracker/unreadable-record.ts';

const Word = z.string().min(1).max(200).nullish().catch(null);
const State = z
  .looseObject({ name: z.string().min(1) })
  .nullish()
  .catch(null);
const At = z.iso.datetime({ offset: true }).nullish().catch(null);
const Label = z
  .looseObject({ id: Word, identifier: Word, issueId: Word, state: State, updatedAt: At })
  .partial()
  .catch({});

/** The readable rows of a page; `onUnreadable` is called for each other one. */
export function readableRows<Row extends z.ZodType>(
  row: Row,
  nodes: readonly unknown[],
  onUnreadable: OnUnreadable,
): z.output<Row>[] {
  return nodes.flatMap((node) => {
    const parsed = row.safeParse(node);
    if (parsed.success) return [parsed.data];
    const { id, identifier, issueId, state, updatedAt } = Label.parse(node);
    onUnreadable({
      id: id ?? null,
      name: identifier ?? issueId ?? null,
      problem: problemOf(parsed.error),
      state: state?.name ?? null,
      updatedAtMs: updatedAt == null ? null : Date.parse(updatedAt),
    });
    return [];
  });
}
