import type { AttemptPhase } from '@switchyard/shared/api/work/attempt';
import { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import type { AttemptEventKind } from '@switchyard/shared/protocol/attempt-event';
import type { z } from 'zod';
import { type Clock, sleep } from '../../connection/clock.ts';
import { encodePayload } from '../../connection/journal/encode-payload.ts';
import type { Journal, JournalEntry, Progress } from '../../connection/journal/journal.ts';
import type { LeaseRef } from '../../connection/lease-ref.ts';
import type { Spool } from '../../connection/journal/spool.ts';
import { type AttemptControl, Stopped } from '../attempt-control.ts';
import type { Liveness } from './liveness.ts';

/** How long an event waits for space in the spool after its attempt was stopped. */
const ROOM_AFTER_STOP_MS = 2_000;

type EventOf<K extends AttemptEventKind> = z.input<(typeof AttemptEventPayload)[K]>;

/** Events that also occur while an attempt is idle, so they are no sign of progress. */
const IDLE_KINDS: ReadonlySet<AttemptEventKind> = new Set([
  'usage',
  'egress_allowed',
  'egress_refused',
]);

/** Records an attempt: events for people, progress for a later process. */
export class AttemptRecorder {
  readonly #ref: LeaseRef;
  readonly #spool: Spool;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #control: Pick<AttemptControl, 'race'>;
  readonly #liveness: Liveness;
  #closed = false;

  constructor(
    ref: LeaseRef,
    deps: { spool: Spool; journal: Journal; clock: Clock },
    parts: { control: Pick<AttemptControl, 'race'>; liveness: Liveness },
  ) {
    this.#ref = ref;
    this.#spool = deps.spool;
    this.#journal = deps.journal;
    this.#clock = deps.clock;
    this.#control = parts.control;
    this.#liveness = parts.liveness;
  }

  /**
   * Resolves when the event is on disk; while the spool is full it waits, but at most 2 s once the
   * attempt was stopped, so that it can end.
   */
  async event<K extends AttemptEventKind>(kind: K, payload: EventOf<K>): Promise<void> {
    if (this.#closed) return;
    if (!IDLE_KINDS.has(kind)) this.#liveness.progress();
    const atMs = this.#clock.nowMs();
    // An event that the control plane refuses would prevent the attempt from ever ending.
    const problem = AttemptEventPayload[kind].safeParse(JSON.parse(encodePayload(payload))).error;
    if (problem === undefined)
      return await this.#stored(this.#spool.append(this.#ref, kind, payload, atMs));
    const text = `an event of kind ${kind} could not be kept: ${problem.issues[0]?.message ?? 'malformed'}`;
    await this.#stored(this.#spool.append(this.#ref, 'log', { source: 'runner', text }, atMs));
  }

  async #stored(event: Promise<void>): Promise<void> {
    try {
      await this.#control.race(event);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      await Promise.race([event, sleep(this.#clock, ROOM_AFTER_STOP_MS)]);
    }
  }

  async phase(phase: AttemptPhase): Promise<void> {
    await this.event('phase', { phase });
  }

  async log(source: EventOf<'log'>['source'], text: string): Promise<void> {
    if (text.trim() !== '') await this.event('log', { source, text });
  }

  /** Stores progress durably (fsync), so that it survives this process. */
  progress(
    progress: Progress,
    patch: Partial<Pick<JournalEntry, 'phase' | 'containerId'>> = {},
  ): void {
    this.#journal.update(this.#ref, { ...patch, progress });
  }

  /** Ends recording: the digest of the finish covers the present events. */
  close(): void {
    this.#closed = true;
  }
}
