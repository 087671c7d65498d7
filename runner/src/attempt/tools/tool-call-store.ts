import { MAX_QUESTION_MS } from '@switchyard/shared/protocol/limits';
import * as z from 'zod';
import { StoreFile } from '../../connection/journal/store-file.ts';
import type { LeaseRef } from '../../connection/lease-ref.ts';
import type { ToolAnswer } from '../../engine/agent-engine.ts';

/** How long an answer is repeated to a client that posts its call again. */
const ANSWER_KEPT_MS = 10 * 60_000;
/** How long calls of an attempt without a known end are kept; a question may still be open. */
const CALL_KEPT_MS = MAX_QUESTION_MS + 7 * 24 * 3_600_000;

const SCHEMA = `
create table if not exists tool_calls(
  attempt_id text not null, epoch integer not null, key text not null, tool text not null,
  begun_at_ms integer not null, asked integer not null, answer text,
  primary key (attempt_id, epoch, key)
) strict;`;

const Answer = z.object({ success: z.boolean(), text: z.string() });

export type StoredCall = {
  tool: string;
  begunAtMs: number;
  /** The question's event was recorded. */
  asked: boolean;
  /** Null while the call runs, or when the process that performed it ended first. */
  answer: ToolAnswer | null;
};

/**
 * The tool calls of this runner, so that none is performed twice: neither when a client repeats it
 * nor when the proxy requests it again after a restart.
 */
export class ToolCallStore {
  readonly #file: StoreFile;

  /** `:memory:` for a store that ends with the process. */
  constructor(path: string, nowMs: number) {
    this.#file = new StoreFile(path, { schema: SCHEMA, exclusive: false, synchronous: 'normal' });
    this.#file.run('delete from tool_calls where begun_at_ms < ?', nowMs - CALL_KEPT_MS);
  }

  find({ attemptId, epoch }: LeaseRef, key: string): StoredCall | null {
    const row = this.#file.get(
      `select tool, begun_at_ms, asked, answer from tool_calls
         where attempt_id = ? and epoch = ? and key = ?`,
      attemptId,
      epoch,
      key,
    );
    if (row === undefined) return null;
    const answer = row['answer'];
    return {
      tool: String(row['tool']),
      begunAtMs: Number(row['begun_at_ms']),
      asked: row['asked'] === 1,
      answer: typeof answer === 'string' ? Answer.parse(JSON.parse(answer)) : null,
    };
  }

  begin({ attemptId, epoch }: LeaseRef, key: string, tool: string, nowMs: number): void {
    this.#file.run(
      `delete from tool_calls
         where attempt_id = ? and epoch = ? and answer is not null and begun_at_ms < ?`,
      attemptId,
      epoch,
      nowMs - ANSWER_KEPT_MS,
    );
    this.#file.run(
      'insert into tool_calls values (?, ?, ?, ?, ?, 0, null)',
      attemptId,
      epoch,
      key,
      tool,
      nowMs,
    );
  }

  /** Records that people have the question, so that a later process does not ask again. */
  asked({ attemptId, epoch }: LeaseRef, key: string): void {
    this.#file.run(
      'update tool_calls set asked = 1 where attempt_id = ? and epoch = ? and key = ?',
      attemptId,
      epoch,
      key,
    );
  }

  /** Stores an answer; its age counts from now. */
  end({ attemptId, epoch }: LeaseRef, key: string, answer: ToolAnswer, nowMs: number): void {
    this.#file.run(
      `update tool_calls set answer = ?, begun_at_ms = ?
         where attempt_id = ? and epoch = ? and key = ?`,
      JSON.stringify(answer),
      nowMs,
      attemptId,
      epoch,
      key,
    );
  }

  /** Deletes the calls of an attempt that is over. */
  drop({ attemptId, epoch }: LeaseRef): void {
    this.#file.run('delete from tool_calls where attempt_id = ? and epoch = ?', attemptId, epoch);
  }

  close(): void {
    this.#file.close();
  }
}
