import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { CheckOutcome } from '@switchyard/shared/checks/check-spec';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { ReportedModels } from '@switchyard/shared/protocol/attempt-event';
import type { HeldPhase, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { LeaseRef } from '../lease-ref.ts';
import { leaseKey } from '../lease-ref.ts';
import { StoreFile, StoreLocked } from './store-file.ts';

export type Finish = RunnerMessageOf<'finish'>;

/** The last run of a declared check, with the number of runs on its tree. */
export type CheckResult = { name: string; outcome: CheckOutcome; runs: number; how: string };

/** The progress of a lease, as a later process needs it to continue. */
export type Progress = {
  /** Isolation of the attempt, chosen once when it is granted. */
  isolation?: Isolation;
  threadId?: string;
  turnNumber?: number;
  workspacePath?: string;
  objectsPath?: string;
  submoduleObjects?: readonly string[];
  mirrorPath?: string;
  branch?: string;
  baseBranch?: string;
  baseCommit?: string;
  /** Hash of its token at the model proxy, to renew access after a restart. */
  proxyTokenHash?: string;
  engineVersion?: string;
  /** Number of checkpoints under this lease. */
  checkpoints?: number;
  /** Turn `turnNumber` was begun, and its end was not seen. */
  turnOpen?: boolean;
  /** Number of objections to its work; whether it was asked about commits that are not included. */
  objections?: number;
  askedAside?: boolean;
  /**
   * Declared checks: the tree they ran on after a turn, whose files they may have changed, and the
   * results on the last tree, which the control plane has.
   */
  checks?: {
    open: { tree: string; turn: number } | null;
    last: { tree: string; results: CheckResult[] } | null;
  };
  /** Number of threads that were replaced because they exceeded the context. */
  freshThreads?: number;
  /** When unanswered questions were asked, by request. */
  requestsAskedAtMs?: Record<string, number>;
  marker?: 'DONE' | 'BLOCKED' | null;
  summary?: string | null;
  /** The agent is done, and this is its work: from here on only the delivery is repeated. */
  delivery?: NonNullable<Finish['delivery']>;
  /** The base branch contains the merge of the specification's `merge`. */
  merged?: NonNullable<Finish['merged']>;
  /** The attempt's own usage, and its thread's usage at that time. */
  usage?: {
    own: TokenUsage;
    thread: TokenUsage;
    /** The proxy's count at that time, and when that proxy started counting. */
    model?: { sinceMs: number; tokens: TokenUsage; byModel?: Record<string, TokenUsage> };
    /** `own` by model; missing in journals of former versions. */
    byModel?: ReportedModels;
  };
};

export type JournalEntry = LeaseRef & {
  phase: HeldPhase;
  /** Set with `granted`: before that no container can exist. */
  granted: boolean;
  containerId: string | null;
  bootId: string;
  spec: AttemptSpec;
  progress: Progress;
  /** The `finish` message of an attempt that is over, until it is confirmed. */
  finish: Finish | null;
};

type Row = {
  attempt_id: string;
  epoch: number;
  phase: string;
  granted: number;
  container_id: string | null;
  boot_id: string;
  spec: string;
  progress: string;
  finish: string | null;
};

const SCHEMA = `
create table if not exists attempts(
  attempt_id text not null, epoch integer not null, phase text not null,
  granted integer not null, container_id text, boot_id text not null,
  spec text not null, progress text not null, finish text,
  primary key (attempt_id, epoch)
) strict;
create table if not exists meta(key text primary key, value text not null) strict;`;

function entryOf(row: Row): JournalEntry {
  return {
    attemptId: row.attempt_id,
    epoch: row.epoch,
    phase: row.phase as HeldPhase,
    granted: row.granted === 1,
    containerId: row.container_id,
    bootId: row.boot_id,
    spec: JSON.parse(row.spec) as AttemptSpec,
    progress: JSON.parse(row.progress) as Progress,
    finish: row.finish === null ? null : (JSON.parse(row.finish) as Finish),
  };
}

/** Another process uses this runner's journal. */
export class JournalInUse extends Error {
  constructor(path: string, cause: unknown) {
    super(`another runner process uses ${path}`, { cause });
    this.name = 'JournalInUse';
  }
}

/**
 * The leases of this host on disk. Every write is fsynced before it returns, so that a lease is
 * stored before the control plane gets `accept`.
 */
export class Journal {
  readonly #file: StoreFile;
  /** The rows in memory: only this process writes them. */
  readonly #entries = new Map<string, JournalEntry>();
  #closed = false;

  /** Opens or creates the file. Throws JournalInUse while another process has it open. */
  constructor(path: string) {
    try {
      // Exclusive, because two processes of one runner would conflict over its containers.
      this.#file = new StoreFile(path, { schema: SCHEMA, exclusive: true, synchronous: 'full' });
    } catch (error) {
      throw error instanceof StoreLocked ? new JournalInUse(path, error) : error;
    }
    try {
      const rows = this.#file.all('select * from attempts order by attempt_id, epoch');
      for (const entry of (rows as Row[]).map(entryOf)) this.#entries.set(leaseKey(entry), entry);
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Stores a lease before it is accepted; a no-op for a lease that is stored already. */
  accept(ref: LeaseRef, spec: AttemptSpec, bootId: string): void {
    if (this.#closed || this.#entries.has(leaseKey(ref))) return;
    this.#file.run(
      `insert into attempts(attempt_id, epoch, phase, granted, boot_id, spec, progress)
       values (?, ?, 'accepted', 0, ?, ?, '{}')`,
      ref.attemptId,
      ref.epoch,
      bootId,
      JSON.stringify(spec),
    );
    const { attemptId, epoch } = ref;
    const fresh = { phase: 'accepted', granted: false, containerId: null, finish: null } as const;
    this.#entries.set(leaseKey(ref), { attemptId, epoch, ...fresh, bootId, spec, progress: {} });
  }

  /** Changes the given fields; a no-op for an unknown lease. */
  update(
    ref: LeaseRef,
    patch: Partial<Omit<JournalEntry, 'attemptId' | 'epoch' | 'spec' | 'bootId'>>,
  ): void {
    const entry = this.get(ref);
    if (entry === null) return;
    const next = { ...entry, ...patch, progress: { ...entry.progress, ...patch.progress } };
    this.#file.run(
      `update attempts set phase = ?, granted = ?, container_id = ?, progress = ?, finish = ?
       where attempt_id = ? and epoch = ?`,
      next.phase,
      next.granted ? 1 : 0,
      next.containerId,
      JSON.stringify(next.progress),
      next.finish === null ? null : JSON.stringify(next.finish),
      ref.attemptId,
      ref.epoch,
    );
    this.#entries.set(leaseKey(ref), next);
  }

  get(ref: LeaseRef): JournalEntry | null {
    return this.#closed ? null : (this.#entries.get(leaseKey(ref)) ?? null);
  }

  list(): JournalEntry[] {
    return this.#closed ? [] : [...this.#entries.values()];
  }

  /**
   * Removes a lease, only after `finished`, or once its container has ended and the lease is over.
   */
  remove(ref: LeaseRef): void {
    if (this.#closed) return;
    this.#file.run(
      'delete from attempts where attempt_id = ? and epoch = ?',
      ref.attemptId,
      ref.epoch,
    );
    this.#entries.delete(leaseKey(ref));
  }

  /**
   * Stores the wall time at which this runner must have stopped, for a process that starts after a
   * crash.
   */
  saveLeaseEnd(wallMs: number): void {
    if (this.#closed) return;
    this.#file.run(
      `insert into meta(key, value) values ('lease_end', ?)
       on conflict(key) do update set value = excluded.value`,
      String(Math.round(wallMs)),
    );
  }

  leaseEnd(): number | null {
    if (this.#closed) return null;
    const row = this.#file.get(`select value from meta where key = 'lease_end'`);
    return row === undefined ? null : Number(row['value']);
  }

  /**
   * Closes the journal: later reads and writes are no-ops, because attempts of this process may
   * still run.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#file.close();
  }
}
