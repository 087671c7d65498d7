import type { SimContainer } from './sim-docker.ts';
import type { Fail } from './violation.ts';

/** A container that slept with its host may look alive until its supervisor has looked at its clock. */
const AFTER_RESUME_MS = 20_000;

/** Sees to it that no attempt is executed twice at a time. */
export class ExecutionWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #executing = new Set<SimContainer>();

  constructor(nowMs: () => number, fail: Fail) {
    this.#nowMs = nowMs;
    this.#fail = fail;
  }

  started(container: SimContainer): void {
    this.#executing.add(container);
    this.look();
  }

  ended(container: SimContainer): void {
    this.#executing.delete(container);
  }

  /** A host that has just woken may not know yet; what it still runs a while later counts. */
  look(): void {
    const byAttempt = new Map<string, SimContainer>();
    for (const container of this.#executing) {
      if (!this.#isExecuting(container)) continue;
      const { attemptId, epoch } = container.owner;
      const other = byAttempt.get(attemptId);
      if (other !== undefined) {
        const words = `${attemptId}/${epoch} on ${container.host.name} while ${other.owner.epoch} runs on ${other.host.name}`;
        this.#fail('one container executes an attempt', words);
      }
      byAttempt.set(attemptId, container);
    }
  }

  #isExecuting({ host, running }: SimContainer): boolean {
    return running && !host.suspended && this.#nowMs() - host.resumedAtMs > AFTER_RESUME_MS;
  }
}
