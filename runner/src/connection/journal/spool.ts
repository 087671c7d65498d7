import { hash } from 'node:crypto';
import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import {
  chainDigest,
  EMPTY_DIGEST,
  type HashText,
} from '@switchyard/shared/protocol/extend-digest';
import { encodePayload, jsonBytes } from './encode-payload.ts';
import type { Payload } from './encode-payload.ts';
import type { LeaseRef } from '../lease-ref.ts';
import { leaseKey } from '../lease-ref.ts';
import { RoomWaiters } from './room-waiters.ts';
import { StoreFile } from './store-file.ts';

/** Limit on an attempt's unacknowledged events; beyond it the agent's output is not read. */
const MAX_SPOOL_BYTES = 256 * 1024 * 1024;
/** How long unsent events of an attempt whose lease is over are kept. */
const LATE_KEEP_MS = 24 * 3_600_000;
/** Cost of an event besides its payload, so that empty ones count too. */
const EVENT_OVERHEAD_BYTES = 96;

const SCHEMA = `
create table if not exists streams(
  attempt_id text not null, epoch integer not null, spooled_seq integer not null,
  acked_seq integer not null, digest text not null, bytes integer not null,
  late_since_ms integer, engine text,
  primary key (attempt_id, epoch)
) strict;
create table if not exists events(
  attempt_id text not null, epoch integer not null, seq integer not null, at_ms integer not null,
  kind text not null, payload text not null, bytes integer not null,
  primary key (attempt_id, epoch, seq)
) strict, without rowid;`;

const keyOf = ({ attemptId, epoch }: LeaseRef) => [attemptId, epoch] as const;
const hashText: HashText = (text) => hash('sha256', text, 'hex');

export type Stream = {
  spooledSeq: number;
  ackedSeq: number;
  /** Digest over events 1 to spooledSeq. */
  digest: string;
  bytes: number;
};
export type EngineState = { stdoutOffset: number; nextRpcId: number; pending: unknown[] };
export type SpooledEvent = { item: AttemptEventItem; bytes: number };

/**
 * Events on disk until the control plane has committed them. They survive a kill of this process; a
 * power cut may lose the last ones, even some that were sent. An attempt of which the control plane
 * has more or other events is abandoned and requeued.
 */
export class Spool {
  readonly #file: StoreFile;
  readonly #maxBytes: number;
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #sealed = new Set<string>();
  readonly #room = new RoomWaiters();
  readonly #listeners = new Set<(ref: LeaseRef) => void>();
  #closed = false;

  constructor(path: string, maxBytes: number = MAX_SPOOL_BYTES) {
    this.#maxBytes = maxBytes;
    this.#file = new StoreFile(path, { schema: SCHEMA, exclusive: false, synchronous: 'normal' });
  }

  open(ref: LeaseRef): void {
    if (this.#closed) return;
    this.#file.run(
      `insert into streams(attempt_id, epoch, spooled_seq, acked_seq, digest, bytes)
         values (?, ?, 0, 0, ?, 0) on conflict do nothing`,
      ...keyOf(ref),
      EMPTY_DIGEST,
    );
  }

  /** The stream of a lease; null when it was never opened, was dropped, or ended by `markLate`. */
  stream(ref: LeaseRef): Stream | null {
    if (this.#closed) return null;
    const row = this.#file.get(
      `select spooled_seq, acked_seq, digest, bytes from streams
         where attempt_id = ? and epoch = ? and late_since_ms is null`,
      ...keyOf(ref),
    );
    if (row === undefined) return null;
    return {
      spooledSeq: Number(row['spooled_seq']),
      ackedSeq: Number(row['acked_seq']),
      digest: String(row['digest']),
      bytes: Number(row['bytes']),
    };
  }

  /**
   * Stores an event and resolves when it is on disk. Waits while the stream is full, which slows
   * the reader of the agent's output; resolves without storing once the stream was dropped.
   */
  append(ref: LeaseRef, kind: string, payload: Payload, atMs: number): Promise<void> {
    const key = leaseKey(ref);
    const next = (this.#tails.get(key) ?? Promise.resolve()).then(() =>
      this.#append(ref, kind, payload, atMs),
    );
    this.#tails.set(
      key,
      next.catch(() => undefined),
    );
    return next;
  }

  async #append(ref: LeaseRef, kind: string, payload: Payload, atMs: number): Promise<void> {
    const json = encodePayload(payload);
    const bytes = jsonBytes(json) + EVENT_OVERHEAD_BYTES;
    for (;;) {
      const stream = this.stream(ref);
      if (stream === null || this.#sealed.has(leaseKey(ref))) return;
      if (stream.bytes > 0 && stream.bytes + bytes > this.#maxBytes) {
        await this.#room.wait(ref);
        continue;
      }
      const seq = stream.spooledSeq + 1;
      const event = { seq, atMs, kind, payloadJson: json, bytes };
      const digest = chainDigest(stream.digest, [event], hashText);
      if (this.#sealed.has(leaseKey(ref))) return;
      if (this.#store(ref, event, digest)) break;
    }
    for (const listener of this.#listeners) listener(ref);
  }

  #store(
    ref: LeaseRef,
    event: { seq: number; atMs: number; kind: string; payloadJson: string; bytes: number },
    digest: string,
  ): boolean {
    return this.#file.transaction(() => {
      const moved = this.#file.run(
        `update streams set spooled_seq = ?, digest = ?, bytes = bytes + ?
           where attempt_id = ? and epoch = ? and spooled_seq = ? and late_since_ms is null`,
        event.seq,
        digest,
        event.bytes,
        ...keyOf(ref),
        event.seq - 1,
      );
      if (moved !== 1) return false;
      this.#file.run(
        'insert into events values (?, ?, ?, ?, ?, ?, ?)',
        ...keyOf(ref),
        event.seq,
        Math.round(event.atMs),
        event.kind,
        event.payloadJson,
        event.bytes,
      );
      return true;
    });
  }

  /**
   * Ends the stream and returns its state, which `finish` reports. Appends that still wait for
   * space resolve without being stored.
   */
  seal(ref: LeaseRef): Stream | null {
    this.#sealed.add(leaseKey(ref));
    this.#room.wake(ref);
    return this.stream(ref);
  }

  /** Events from `fromSeq` on within both limits, but at least one if there is any. */
  read(ref: LeaseRef, fromSeq: number, maxEvents: number, maxBytes: number): SpooledEvent[] {
    if (this.#closed) return [];
    if (maxEvents < 1) return [];
    // Sizes first: the driver fetches hundreds of rows, and a payload may have 64 KiB.
    const sizes = this.#file.all(
      `select seq, bytes from events
         where attempt_id = ? and epoch = ? and seq >= ? order by seq limit ?`,
      ...keyOf(ref),
      fromSeq,
      maxEvents,
    );
    let total = 0;
    let lastSeq = 0;
    for (const { seq, bytes } of sizes) {
      if (lastSeq > 0 && total + Number(bytes) > maxBytes) break;
      total += Number(bytes);
      lastSeq = Number(seq);
    }
    const rows = this.#file.all(
      `select seq, at_ms, kind, payload, bytes from events
         where attempt_id = ? and epoch = ? and seq between ? and ? order by seq`,
      ...keyOf(ref),
      fromSeq,
      lastSeq,
    );
    return rows.map((row) => ({
      bytes: Number(row['bytes']),
      item: {
        seq: Number(row['seq']),
        atMs: Number(row['at_ms']),
        kind: String(row['kind']),
        payload: JSON.parse(String(row['payload'])) as Payload,
      },
    }));
  }

  /**
   * Deletes events that the control plane has committed. A lower number, or one beyond the spooled
   * events, is ignored.
   */
  acknowledge(ref: LeaseRef, upto: number): void {
    const stream = this.stream(ref);
    if (stream === null || upto <= stream.ackedSeq || upto > stream.spooledSeq) return;
    const key = [...keyOf(ref), upto] as const;
    this.#file.transaction(() => {
      this.#file.run(
        `update streams set acked_seq = ?, bytes = bytes - (
             select coalesce(sum(bytes), 0) from events where attempt_id = ? and epoch = ? and seq <= ?)
           where attempt_id = ? and epoch = ?`,
        upto,
        ...key,
        ...keyOf(ref),
      );
      this.#file.run('delete from events where attempt_id = ? and epoch = ? and seq <= ?', ...key);
    });
    this.#room.wake(ref);
  }

  /** Stores the state of the engine's session; written often, so without fsync. */
  saveEngine(ref: LeaseRef, state: EngineState): void {
    if (this.#closed) return;
    this.#file.run(
      'update streams set engine = ? where attempt_id = ? and epoch = ?',
      JSON.stringify(state),
      ...keyOf(ref),
    );
  }

  loadEngine(ref: LeaseRef): EngineState | null {
    if (this.#closed) return null;
    const row = this.#file.get(
      'select engine from streams where attempt_id = ? and epoch = ?',
      ...keyOf(ref),
    );
    const engine = row?.['engine'];
    return typeof engine === 'string' ? (JSON.parse(engine) as EngineState) : null;
  }

  /** Deletes the stream after `finished`, since the control plane has everything. */
  drop(ref: LeaseRef): void {
    if (this.#closed) return;
    for (const table of ['events', 'streams']) {
      this.#file.run(`delete from ${table} where attempt_id = ? and epoch = ?`, ...keyOf(ref));
    }
    this.#tails.delete(leaseKey(ref));
    this.#sealed.delete(leaseKey(ref));
    this.#room.wake(ref);
  }

  /**
   * Ends the stream of a lost or released lease: nothing is added or sent, and it is kept for a
   * day.
   */
  markLate(ref: LeaseRef, nowMs: number): void {
    if (this.#closed) return;
    this.#file.run(
      'update streams set late_since_ms = ? where attempt_id = ? and epoch = ?',
      Math.round(nowMs),
      ...keyOf(ref),
    );
    this.#room.wake(ref);
  }

  purgeLate(nowMs: number): void {
    if (this.#closed) return;
    const before = Math.round(nowMs - LATE_KEEP_MS);
    this.#file.run(
      `delete from events where exists (select 1 from streams s where s.attempt_id = events.attempt_id
         and s.epoch = events.epoch and s.late_since_ms < ?)`,
      before,
    );
    this.#file.run('delete from streams where late_since_ms < ?', before);
  }

  /** Calls back after each stored event; returns the unsubscribe function. */
  onAppend(listener: (ref: LeaseRef) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Closes the spool: later reads and writes are no-ops, because attempts of this process may still
   * run.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#file.close();
  }
}
