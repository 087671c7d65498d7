import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/test-database.ts';
import { describeFailure } from './describe-failure.ts';

describe('describeFailure', () => {
  it('tells what happened where, with the causes', () => {
    const text = describeFailure(new Error('outer', { cause: new TypeError('inner') }));
    expect(text).toMatch(/^Error: outer at .*describe-failure\.test\.ts.* <- TypeError: inner at /);
  });

  it('leaves out the values of a failed statement', async () => {
    const { db, close } = await createTestDatabase();
    const failed = await db
      .run(sql`select * from nowhere where x = ${'sk-hidden\nsk-hidden'}`)
      .then(
        () => null,
        (error: unknown) => error,
      );
    await close();
    const text = describeFailure(failed);
    expect(text).toContain('nowhere');
    expect(text).not.toContain('sk-hidden');
  });

  it('survives what is no error, and causes that go round', () => {
    const round = new Error('round');
    round.cause = round;
    expect(describeFailure(round).split(' <- ')).toHaveLength(4);
    expect(describeFailure('text')).toBe('string');
  });
});
