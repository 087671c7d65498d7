import { DatabaseAway, databaseAway } from '../database-away.ts';
import type { SqlValue } from './sql-value.ts';
import type { StoredResult } from './stored-result.ts';

/** SQL text with its positional values. */
export type BoundStatement = { sql: string; args: readonly SqlValue[] };

/** Statements that are stored all or none. */
export type WriteBatch = readonly BoundStatement[];

/** The result of one batch of a group; batches succeed or fail independently. */
export type BatchOutcome =
  | { results: StoredResult[] }
  | { refused: { code: string; message: string } }
  /** The batch may not be stored; the reason is for people. */
  | { away: string };

export type KnownOutcome = Exclude<BatchOutcome, { away: string }>;

/**
 * Commits batches together and returns the result of each, in order. Throws when the result of all
 * is unknown.
 */
export type CommitGroup = (group: readonly WriteBatch[]) => Promise<readonly BatchOutcome[]>;

export type GroupLimits = {
  /** Limits of one group. */
  maxBatches: number;
  maxBytes: number;
  /** Limits of what waits for the next groups. */
  maxWaiting: number;
  maxWaitingBytes: number;
};

const LIMITS: GroupLimits = {
  maxBatches: 256,
  maxBytes: 2_097_152,
  maxWaiting: 4_096,
  maxWaitingBytes: 33_554_432,
};
/**
 * Writers whose last batch was just stored often write again at once: a group waits for them for
 * this share of the last commit's duration.
 */
const LINGER_SHARE = 0.25;
const MAX_LINGER_MS = 20;

type Waiting = {
  batch: WriteBatch;
  bytes: number;
  done(outcome: KnownOutcome): void;
  failed(error: unknown): void;
};

/**
 * Writes one group at a time. Batches that arrive during a commit share the next one, because
 * concurrent writers only wait for each other and can lock up a libSQL server. The queue is
 * limited; beyond that a batch is refused as DatabaseAway.
 */
export class GroupWriter {
  readonly #commit: CommitGroup;
  readonly #limits: GroupLimits;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** Ends the wait for writers that write again. */
  #enough: { count: number; go(): void } | null = null;

  constructor(commit: CommitGroup, limits: Partial<GroupLimits> = {}) {
    this.#commit = commit;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Resolves after the commit. Rejects with DatabaseAway when the batch may not be stored. */
  write(batch: WriteBatch): Promise<KnownOutcome> {
    const bytes = sizeOf(batch);
    const { maxWaiting, maxWaitingBytes } = this.#limits;
    const isFull =
      this.#waiting.length >= maxWaiting ||
      (this.#waiting.length > 0 && this.#waitingBytes + bytes > maxWaitingBytes);
    if (isFull) return Promise.reject(new DatabaseAway('too many writes wait for it'));
    return new Promise((done, failed) => {
      this.#waiting.push({ batch, bytes, done, failed });
      this.#waitingBytes += bytes;
      if (!this.#isWriting) void this.#write();
      else if (this.#enough !== null && this.#waiting.length >= this.#enough.count)
        this.#enough.go();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    // Collects everything that is written in the same turn.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#take();
      const beganAtMs = Date.now();
      await this.#settle(group);
      const tookMs = Date.now() - beganAtMs;
      if (group.length > 1) await this.#linger(group.length, tookMs * LINGER_SHARE);
    }
    this.#isWriting = false;
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commit(group.map(({ batch }) => batch));
      for (const [index, { done, failed }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) failed(new Error('a batch has no outcome'));
        else if ('away' in outcome) failed(new DatabaseAway(outcome.away));
        else done(outcome);
      }
    } catch (error) {
      for (const { failed } of group) failed(error);
      if (databaseAway(error) === null) return;
      // Waiting batches would wait as long for the same failure, and nothing of them was sent.
      for (const { failed } of this.#waiting.splice(0)) failed(error);
      this.#waitingBytes = 0;
    }
  }

  #take(): Waiting[] {
    const { maxBatches, maxBytes } = this.#limits;
    let bytes = 0;
    let count = 0;
    for (const each of this.#waiting) {
      if (count === maxBatches || (count > 0 && bytes + each.bytes > maxBytes)) break;
      bytes += each.bytes;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #linger(count: number, ms: number): Promise<void> {
    if (this.#waiting.length >= count) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, MAX_LINGER_MS));
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#enough = { count, go };
    });
    this.#enough = null;
  }
}

/** Approximate size of a batch in memory and in transit. */
function sizeOf(batch: WriteBatch): number {
  let bytes = 0;
  for (const { sql, args } of batch) {
    bytes += sql.length;
    for (const value of args) {
      if (typeof value === 'string') bytes += value.length;
      else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) bytes += value.byteLength;
      else bytes += 8;
    }
  }
  return bytes;
}
