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

/** How the last run of a declared check ended, in words, and how many runs it had on its tree. */
export type CheckResult = { name: string; outcome: CheckOutcome; runs: number; how: string };

/** What a lease has come to, as far as a new process needs it to go on. */
export type Progress = {
  /** What the attempt runs in: chosen once, when it is granted. */
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
  /** Hash under which the model proxy knows the attempt: renews its access after a restart. */
  proxyTokenHash?: string;
  engineVersion?: string;
  /** Checkpoints taken under this lease. */
  checkpoints?: number;
  /** Turn `turnNumber` was begun and its end was not seen yet. */
  turnOpen?: boolean;
  /** How often the agent was told what to put right; whether it was asked about commits left aside. */
  objections?: number;
  askedAside?: boolean;
  /**
   * Declared checks: the tree that they ran on behind a turn, whose files they may have changed, and
   * the results on the last tree, which are those that the control plane knows.
   */
  checks?: {
    open: { tree: string; turn: number } | null;
    last: { tree: string; results: CheckResult[] } | null;
  };
  /** Threads that were left for being too long. */
  freshThreads?: number;
  /** When people were asked what nobody has answered yet, by request. */
  requestsAskedAtMs?: Record<string, number>;
  marker?: 'DONE' | 'BLOCKED' | null;
  summary?: string | null;
  /** The agent is done and this is what it left: from here on only its delivery is repeated. */
  delivery?: NonNullable<Finish['delivery']>;
  /** What the attempt used itself, and what its thread had used then. */
  usage?: {
    own: TokenUsage;
    thread: TokenUsage;
    /** What the model proxy had counted then, and since when that proxy counts. */
    model?: { sinceMs: number; tokens: TokenUsage; byModel?: Record<string, TokenUsage> };
    /** `own` by the model that answered; journals of former versions have none. */
    byModel?: ReportedModels;
  };
};

export type JournalEntry = LeaseRef & {
  phase: HeldPhase;
  /** True once `granted` came: before that no container can exist. */
  granted: boolean;
  containerId: string | null;
  bootId: string;
  spec: AttemptSpec;
  progress: Progress;
  /** The attempt is over and this is what to say until it is confirmed. */
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

/** Another process speaks for this runner. */
export class JournalInUse extends Error {
  constructor(path: string, cause: unknown) {
    super(`another runner process uses ${path}`, { cause });
    this.name = 'JournalInUse';
  }
}

/**
 * The leases this host holds, on disk. Every write is fsynced before it returns, so that a lease
 * is known here before the control plane hears `accept`.
 */
export class Journal {
  readonly #file: StoreFile;
  /** The rows as they stand: this process is the only one that writes them. */
  readonly #entries = new Map<string, JournalEntry>();
  #closed = false;

  /** Opens or creates the file. Throws JournalInUse while another process has it open. */
  constructor(path: string) {
    try {
      // Exclusive: two processes that speak for one runner would fight over its containers.
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

  /** Records a lease before it is accepted. A repeat of the same lease changes nothing. */
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

  /** Changes what is given; unknown leases are left alone. */
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

  /** Only after `finished`, or once the container's end is confirmed and the lease is gone. */
  remove(ref: LeaseRef): void {
    if (this.#closed) return;
    this.#file.run(
      'delete from attempts where attempt_id = ? and epoch = ?',
      ref.attemptId,
      ref.epoch,
    );
    this.#entries.delete(leaseKey(ref));
  }

  /** Wall time at which this runner must have stopped, for a process that starts after a crash. */
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

  /** From now on nothing is stored and nothing found: attempts of this process may still run. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#file.close();
  }
}
