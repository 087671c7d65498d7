import type { AttemptPhase } from '@switchyard/shared/api/work/attempt';
import { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import type { AttemptEventKind } from '@switchyard/shared/protocol/attempt-event';
import type { z } from 'zod';
import type { Clock } from '../connection/clock.ts';
import { encodePayload } from '../connection/journal/encode-payload.ts';
import type { Journal, JournalEntry, Progress } from '../connection/journal/journal.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import type { Spool } from '../connection/journal/spool.ts';
import type { Liveness } from './liveness.ts';

type EventOf<K extends AttemptEventKind> = z.input<(typeof AttemptEventPayload)[K]>;

/** What comes by itself, also while nothing goes on. */
const IDLE_KINDS: ReadonlySet<AttemptEventKind> = new Set([
  'usage',
  'egress_allowed',
  'egress_refused',
]);

/** Writes down what happens in an attempt: events for people, progress for a new process. */
export class AttemptRecorder {
  readonly #ref: LeaseRef;
  readonly #spool: Spool;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  #closed = false;

  constructor(
    ref: LeaseRef,
    deps: { spool: Spool; journal: Journal; clock: Clock },
    liveness: Liveness,
  ) {
    this.#ref = ref;
    this.#spool = deps.spool;
    this.#journal = deps.journal;
    this.#clock = deps.clock;
    this.#liveness = liveness;
  }

  /** Resolves when the event is on disk, which takes as long as the spool is full. */
  async event<K extends AttemptEventKind>(kind: K, payload: EventOf<K>): Promise<void> {
    if (this.#closed) return;
    if (!IDLE_KINDS.has(kind)) this.#liveness.progress();
    const atMs = this.#clock.nowMs();
    // One event that the other side refuses would keep the attempt from ever ending.
    const problem = AttemptEventPayload[kind].safeParse(JSON.parse(encodePayload(payload))).error;
    if (problem === undefined) return await this.#spool.append(this.#ref, kind, payload, atMs);
    const text = `an event of kind ${kind} could not be kept: ${problem.issues[0]?.message ?? 'malformed'}`;
    await this.#spool.append(this.#ref, 'log', { source: 'runner', text }, atMs);
  }

  async phase(phase: AttemptPhase): Promise<void> {
    await this.event('phase', { phase });
  }

  async log(source: EventOf<'log'>['source'], text: string): Promise<void> {
    if (text.trim() !== '') await this.event('log', { source, text });
  }

  /** Survives this process; fsynced. */
  progress(
    progress: Progress,
    patch: Partial<Pick<JournalEntry, 'phase' | 'containerId'>> = {},
  ): void {
    this.#journal.update(this.#ref, { ...patch, progress });
  }

  /** Nothing is recorded after the end: the digest covers what is there now. */
  close(): void {
    this.#closed = true;
  }
}
