import {
  type EngineOperation,
  MAX_OPEN_ENGINE_OPERATIONS,
} from '@switchyard/shared/protocol/engine-operations';
import { AppError } from '../../errors.ts';
import type { RunnerCalls } from '../../ports/ports.ts';

/** Of all runners together; the calls that work needs have more room than this. */
const MAX_OPEN_READS = 32;
/** Runners whose engine reads may have started. */
const MAX_ENGINES = 8;
/** Runners end an engine that nobody asks after this. */
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

const gates = new WeakMap<RunnerCalls, EngineGate>();

/** The one gate of whatever asks through the same calls. */
export function gateOf(calls: RunnerCalls): EngineGate {
  const gate = gates.get(calls) ?? new EngineGate();
  gates.set(calls, gate);
  return gate;
}

/**
 * Bounds what questions to engines cost: whoever may read may ask them, and the first one to a runner
 * starts an engine there. Changes need more than reading and always pass.
 */
export class EngineGate {
  readonly #open = new Map<string, number>();
  /** When each runner's engine was asked last, epoch milliseconds. */
  readonly #askedAtMs = new Map<string, number>();

  /** Lets a question in; what it answers is called at its end. Throws a 503 where there are too many. */
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
