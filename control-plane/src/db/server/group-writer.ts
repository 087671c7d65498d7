import { DatabaseAway, databaseAway } from '../database-away.ts';
import type { SqlValue } from './sql-value.ts';
import type { StoredResult } from './stored-result.ts';

/** SQL text with its values by place. */
export type BoundStatement = { sql: string; args: readonly SqlValue[] };

/** Statements that are stored together or not at all. */
export type WriteBatch = readonly BoundStatement[];

/** What became of one batch of a group: each stands or falls alone. */
export type BatchOutcome =
  | { results: StoredResult[] }
  | { refused: { code: string; message: string } }
  /** It is not known to be stored; why, for people. */
  | { away: string };

export type KnownOutcome = Exclude<BatchOutcome, { away: string }>;

/**
 * Commits batches together and answers what became of each, in the same order. Throws when nothing
 * is known of any of them.
 */
export type CommitGroup = (group: readonly WriteBatch[]) => Promise<readonly BatchOutcome[]>;

export type GroupLimits = {
  /** Of one group. */
  maxBatches: number;
  maxBytes: number;
  /** Of what waits for the next groups. */
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
 * Those whose last batch was just stored come again at once: a group waits for them, for a share of
 * what the last commit took.
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
 * Writes one group at a time: what comes while a commit is under way shares the next one, because
 * writers at the same time only wait for each other and can lock a libSQL server up. What waits has
 * limits; beyond them a batch is refused as DatabaseAway.
 */
export class GroupWriter {
  readonly #commit: CommitGroup;
  readonly #limits: GroupLimits;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** Ends the wait for those who come again. */
  #enough: { count: number; go(): void } | null = null;

  constructor(commit: CommitGroup, limits: Partial<GroupLimits> = {}) {
    this.#commit = commit;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Resolves after the commit. Rejects with DatabaseAway when it is not known to be stored. */
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
    // What is written in the same turn comes together.
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
      // They would wait as long for the same answer, and nothing of them was sent.
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

/** About what a batch takes in memory and on its way. */
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
