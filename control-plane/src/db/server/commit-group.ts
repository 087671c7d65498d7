import {
  type Batch,
  BatchCond,
  ClientError,
  type HttpClient,
  type HttpStream,
  ResponseError,
  type RowsResult,
  type Sql,
  Stmt,
} from '@libsql/hrana-client';
import { LibsqlError } from '@libsql/client/web';
import type { KnownOutcome, WriteBatch } from './group-writer.ts';
import type { SqlValue } from './sql-value.ts';
import type { StoredResult } from './stored-result.ts';

/** Stored SQL texts that a server allows for one request. */
const MAX_TEXTS = 100;

/**
 * Stores batches in one transaction and one round trip. Each has its own savepoint, so that a
 * failing one does not affect others. Throws LibsqlError when the whole transaction failed, and
 * nothing is stored.
 */
export async function commitGroup(
  client: HttpClient,
  group: readonly WriteBatch[],
): Promise<KnownOutcome[]> {
  const stream = client.openStream();
  const only = group.length === 1 ? group[0] : undefined;
  try {
    if (only?.length === 1) return [await storeOne(stream, only)];
    return await storeTogether(stream, group);
  } catch (error) {
    stream.close();
    throw error instanceof Error ? asLibsqlError(error) : error;
  }
}

/** A single statement is its own transaction. */
async function storeOne(stream: HttpStream, [statement]: WriteBatch): Promise<KnownOutcome> {
  if (statement === undefined) return { results: [] };
  const stored = stream.query(bound(statement.sql, statement.args));
  stream.closeGracefully();
  return { results: [plain(await stored)] };
}

async function storeTogether(
  stream: HttpStream,
  group: readonly WriteBatch[],
): Promise<KnownOutcome[]> {
  const textOf = keepTexts(stream, group);
  const batch = stream.batch(false);
  const begin = batch.step();
  const begun = settled(begin.run('BEGIN IMMEDIATE'));
  const isAlone = group.length === 1;
  let isOpen = BatchCond.ok(begin);
  const parts = group.map((statements) => {
    const part = isAlone
      ? addStatements(batch, isOpen, statements, textOf)
      : addSavepoint(batch, isOpen, statements, textOf);
    isOpen = part.isOpen;
    return part.results;
  });
  const commit = batch.step().condition(isOpen);
  const committed = settled(commit.run('COMMIT'));
  const rollback = batch.step().condition(BatchCond.not(BatchCond.ok(commit)));
  void settled(rollback.run('ROLLBACK'));
  const executed = batch.execute();
  stream.closeGracefully();
  await executed;
  const start = await begun;
  if (start.error !== undefined) throw asLibsqlError(start.error);
  const outcomes = await Promise.all(parts.map(outcomeOf));
  const end = await committed;
  if (end.error !== undefined) throw asLibsqlError(end.error);
  const isStored = end.value !== undefined || (isAlone && outcomes.some(isRefused));
  // An early end of the transaction has also undone the earlier batches.
  if (!isStored) throw outcomes.find(isRefused)?.error ?? new Error('the transaction ended early');
  return outcomes.map((outcome) =>
    isRefused(outcome)
      ? { refused: { code: outcome.error.code, message: outcome.message } }
      : outcome,
  );
}

type Part = { isOpen: BatchCond; results: Settled<RowsResult | undefined>[] };
type TextOf = (sql: string) => string | Sql;

function addStatements(
  batch: Batch,
  isOpen: BatchCond,
  statements: WriteBatch,
  textOf: TextOf,
): Part {
  let goesOn = isOpen;
  const results = statements.map(({ sql, args }) => {
    const step = batch.step().condition(goesOn);
    const result = settled(step.query(bound(textOf(sql), args)));
    goesOn = BatchCond.ok(step);
    return result;
  });
  return { isOpen: goesOn, results };
}

function addSavepoint(
  batch: Batch,
  isOpen: BatchCond,
  statements: WriteBatch,
  textOf: TextOf,
): Part {
  const save = batch.step().condition(isOpen);
  void settled(save.run('SAVEPOINT part'));
  const inner = addStatements(batch, BatchCond.ok(save), statements, textOf);
  const release = batch.step().condition(inner.isOpen);
  void settled(release.run('RELEASE part'));
  const undo = batch
    .step()
    .condition(BatchCond.and(batch, [BatchCond.ok(save), BatchCond.not(BatchCond.ok(release))]));
  void settled(undo.run('ROLLBACK TO part'));
  const forget = batch.step().condition(BatchCond.ok(undo));
  void settled(forget.run('RELEASE part'));
  // Both conditions fail when a failure has ended the whole transaction: then nothing more runs.
  return {
    isOpen: BatchCond.or(batch, [BatchCond.ok(release), BatchCond.ok(forget)]),
    results: inner.results,
  };
}

type Refused = { error: LibsqlError; message: string };

async function outcomeOf(
  given: readonly Settled<RowsResult | undefined>[],
): Promise<{ results: StoredResult[] } | Refused> {
  const results: StoredResult[] = [];
  for (const each of await Promise.all(given)) {
    if (each.error !== undefined) {
      const error = asLibsqlError(each.error);
      if (!(error instanceof LibsqlError)) throw error;
      return { error, message: each.error.message };
    }
    if (each.value === undefined) {
      const message = 'a statement was not executed, because the transaction had ended';
      return { error: new LibsqlError(message, 'TRANSACTION_CLOSED'), message };
    }
    results.push(plain(each.value));
  }
  return { results };
}

function isRefused(outcome: { results: StoredResult[] } | Refused): outcome is Refused {
  return 'error' in outcome;
}

/** Stores SQL texts that occur more than once, so that they are sent once. */
function keepTexts(stream: HttpStream, group: readonly WriteBatch[]): TextOf {
  const seen = new Set<string>();
  const kept = new Map<string, Sql>();
  for (const { sql } of group.flat()) {
    if (seen.has(sql) && !kept.has(sql) && kept.size < MAX_TEXTS)
      kept.set(sql, stream.storeSql(sql));
    seen.add(sql);
  }
  return (sql) => kept.get(sql) ?? sql;
}

function bound(sql: string | Sql, args: readonly SqlValue[]): Stmt {
  const statement = new Stmt(sql);
  statement.bindIndexes([...args]);
  return statement;
}

function plain({ columnNames, rows, affectedRowCount }: RowsResult): StoredResult {
  return {
    columns: columnNames.map((name) => name ?? ''),
    rows: rows.map((row) => Array.from(row as ArrayLike<SqlValue>)),
    rowsAffected: affectedRowCount,
  };
}

type Settled<T> = Promise<{ value: T; error?: undefined } | { value?: undefined; error: Error }>;

/** Wraps a promise so that it never rejects: an unhandled rejection would end the process. */
function settled<T>(work: Promise<T>): Settled<T> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error instanceof Error ? error : new Error(String(error)) }),
  );
}

function asLibsqlError(error: Error): Error {
  if (!(error instanceof ClientError)) return error;
  const code = error instanceof ResponseError ? (error.code ?? 'UNKNOWN') : 'SERVER_ERROR';
  return new LibsqlError(error.message, code, undefined, undefined, error);
}
