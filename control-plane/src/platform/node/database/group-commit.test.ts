import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.ts';
import { LibsqlFile } from './libsql-file.ts';

let folder: string;
let file: LibsqlFile;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-group-commit-'));
  file = new LibsqlFile(join(folder, 'a.db'));
  file.run({ sql: 'create table words (word text primary key, at integer not null)', args: [] });
});
afterEach(async () => {
  file.close();
  await rm(folder, { recursive: true });
});

const insert = (word: string, at: number | null = 0) => ({
  sql: 'insert into words (word, at) values (?, ?) returning word',
  args: [word, at],
});
const words = () =>
  file.run({ sql: 'select word from words order by word', args: [] }).rows.map(({ word }) => word);

describe('batches of one turn of the event loop', () => {
  it('are all stored, each with its own results', async () => {
    const commits = new GroupCommit(file);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => commits.batch([insert(`w${index}`)])),
    );
    expect(results.map(([result]) => result?.rows[0]?.['word'])).toEqual(
      Array.from({ length: 200 }, (_, index) => `w${index}`),
    );
    expect(words()).toHaveLength(200);
  });

  it('stand and fall alone: a bad one takes none with it and leaves nothing half done', async () => {
    const commits = new GroupCommit(file);
    const outcomes = await Promise.allSettled([
      commits.batch([insert('a')]),
      commits.batch([insert('b'), insert('c', null)]),
      commits.batch([insert('a')]),
      commits.batch([insert('d')]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(words()).toEqual(['a', 'd']);
  });

  it('are told, not tried for ever, when somebody else holds the file', async () => {
    const other = new LibsqlFile(join(folder, 'a.db'));
    other.run({ sql: 'BEGIN IMMEDIATE', args: [] });
    const commits = new GroupCommit(file);
    const outcomes = await Promise.allSettled([
      commits.batch([insert('a')]),
      commits.batch([insert('b')]),
    ]);
    other.run({ sql: 'ROLLBACK', args: [] });
    other.close();
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: expect.stringMatching(/^SQLITE_BUSY/) },
      });
    await commits.batch([insert('a')]);
    expect(words()).toEqual(['a']);
  });
});
