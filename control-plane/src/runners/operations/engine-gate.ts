import {
  type EngineOperation,
  MAX_OPEN_ENGINE_OPERATIONS,
} from '@switchyard/shared/protocol/engine-operations';
import { AppError } from '../../errors.ts';
import type { RunnerConnections } from '../../ports/ports.ts';

/** Limit of open reads over all runners; calls that attempts need have a larger one. */
const MAX_OPEN_READS = 32;
/** Number of runners on which reads may have started an engine. */
const MAX_ENGINES = 8;
/** Time after which runners stop an unused engine. */
const ENGINE_IDLE_MS = 5 * 60_000;

const READS: ReadonlySet<EngineOperation['op']> = new Set([
  'capabilities',
  'features',
  'modes',
  'mcp.list',
  'threads.list',
  'threads.loaded',
  'thread.read',
  'account.read',
  'account.limits',
  'models',
]);

const gates = new WeakMap<RunnerConnections, EngineGate>();

/** The gate shared by all users of the same connections. */
export function gateOf(connections: RunnerConnections): EngineGate {
  const gate = gates.get(connections) ?? new EngineGate();
  gates.set(connections, gate);
  return gate;
}

/**
 * Limits read operations on engines: every reader may send them, and the first one to a runner
 * starts an engine there. Operations that change something need more rights and always pass.
 */
export class EngineGate {
  readonly #open = new Map<string, number>();
  /** When each runner's engine last got a request, epoch milliseconds. */
  readonly #askedAtMs = new Map<string, number>();

  /**
   * Admits an operation and returns the function to call at its end. Throws a 503 when too many are
   * open, or when reads were sent to the engines of too many runners.
   */
  enter(op: EngineOperation['op'], runnerId: string, nowMs: number): () => void {
    if (!READS.has(op)) return () => undefined;
    for (const [id, atMs] of this.#askedAtMs) {
      if (Math.abs(nowMs - atMs) > ENGINE_IDLE_MS) this.#askedAtMs.delete(id);
    }
    const open = this.#open.get(runnerId) ?? 0;
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    if (open >= MAX_OPEN_ENGINE_OPERATIONS || all >= MAX_OPEN_READS) {
      throw busy('agent engines answer as many questions as they may; ask again in a moment', 5);
    }
    if (!this.#askedAtMs.has(runnerId) && this.#askedAtMs.size >= MAX_ENGINES) {
      const minutes = ENGINE_IDLE_MS / 60_000;
      const message = `the engines of ${MAX_ENGINES} runners were asked within ${minutes} minutes; ask one of these, or later`;
      throw busy(message, 60);
    }
    this.#askedAtMs.set(runnerId, nowMs);
    this.#open.set(runnerId, open + 1);
    return () => this.#leave(runnerId);
  }

  #leave(runnerId: string): void {
    const left = (this.#open.get(runnerId) ?? 1) - 1;
    if (left > 0) this.#open.set(runnerId, left);
    else this.#open.delete(runnerId);
  }
}

function busy(message: string, retryAfterSeconds: number): AppError {
  return new AppError('unavailable', message, {
    reason: 'engine_unreachable',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}
