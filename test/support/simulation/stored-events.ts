import type { DatabaseProbe } from './database-probe.ts';
import { rowText } from './row-text.ts';

/** Runner events in the order of their commits. */
export async function storedEvents(
  look: DatabaseProbe,
  attemptId: string,
  epoch: number,
): Promise<{ seq: number; content: string }[]> {
  const { rows } = await look.execute({
    sql: `select items from event_chunks where attempt_id = ? and epoch = ? and from_runner_seq is not null
          order by first_seq`,
    args: [attemptId, epoch],
  });
  type Item = { type: string; data: { runnerSeq: number; kind: string; payload: unknown } };
  return rows.flatMap((row) =>
    (JSON.parse(rowText(row['items'])) as Item[])
      .filter(({ type }) => type === 'attempt.event')
      .map(({ data }) => ({
        seq: data.runnerSeq,
        content: JSON.stringify([data.kind, data.payload]),
      })),
  );
}
