import { describe, expect, it } from 'vitest';
import { DatabaseAway } from '../database-away.ts';
import { type BatchOutcome, GroupWriter, type WriteBatch } from './group-writer.ts';

const batch = (sql: string): WriteBatch => [{ sql, args: [] }];
const stored: BatchOutcome = { results: [] };

/** A writer whose commits wait for the test. */
function heldWriter(limits: ConstructorParameters<typeof GroupWriter>[1] = {}) {
  const groups: { size: number; end(outcome: BatchOutcome[] | Error): void }[] = [];
  const writer = new GroupWriter((group) => {
    const { promise, resolve, reject } = Promise.withResolvers<BatchOutcome[]>();
    const end = (given: BatchOutcome[] | Error) =>
      given instanceof Error ? reject(given) : resolve(given);
    groups.push({ size: group.length, end });
    return promise;
  }, limits);
  return { writer, groups };
}

describe('writes of one process', () => {
  it('begin one group at a time; what comes meanwhile shares the next', async () => {
    const { writer, groups } = heldWriter();
    const first = writer.write(batch('1'));
    await expect.poll(() => groups).toHaveLength(1);
    const others = [writer.write(batch('2')), writer.write(batch('3'))];
    expect(groups.map(({ size }) => size)).toEqual([1]);
    groups[0]?.end([stored]);
    await first;
    await expect.poll(() => groups.map(({ size }) => size)).toEqual([1, 2]);
    groups[1]?.end([{ refused: { code: 'SQLITE_CONSTRAINT', message: 'no' } }, stored]);
    expect(await Promise.all(others)).toMatchObject([{ refused: { message: 'no' } }, stored]);
  });

  it('are refused beyond their limits, and all that wait when the database is away', async () => {
    const { writer, groups } = heldWriter({ maxWaiting: 1 });
    const first = writer.write(batch('1'));
    await expect.poll(() => groups).toHaveLength(1);
    const waiting = writer.write(batch('2'));
    await expect(writer.write(batch('3'))).rejects.toThrow('too many writes wait');
    groups[0]?.end(new DatabaseAway('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(waiting).rejects.toThrow('gone');
    expect(groups).toHaveLength(1);
    const later = writer.write(batch('4'));
    await expect.poll(() => groups).toHaveLength(2);
    groups[1]?.end([stored]);
    expect(await later).toEqual(stored);
  });
});
