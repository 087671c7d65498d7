import type { SimContainer } from './sim-docker.ts';
import type { Fail } from './violation.ts';

/** A container that slept with its host may look alive until its supervisor has looked at its clock. */
const AFTER_RESUME_MS = 20_000;

/** Sees to it that no attempt is executed twice at a time, nor two in one workspace. */
export class ExecutionWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #issueOf: (attemptId: string) => string;
  readonly #executing = new Set<SimContainer>();

  constructor(nowMs: () => number, fail: Fail, issueOf: (attemptId: string) => string) {
    this.#nowMs = nowMs;
    this.#fail = fail;
    this.#issueOf = issueOf;
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
    const byWorkspace = new Map<string, SimContainer>();
    for (const container of this.#executing) {
      if (!this.#isExecuting(container)) continue;
      const { attemptId, epoch } = container.owner;
      const other = byAttempt.get(attemptId);
      if (other !== undefined) {
        const words = `${attemptId}/${epoch} on ${container.host.name} while ${other.owner.epoch} runs on ${other.host.name}`;
        this.#fail('one container executes an attempt', words);
      }
      byAttempt.set(attemptId, container);
      const workspace = `${this.#issueOf(attemptId)} on ${container.host.name}`;
      const beside = byWorkspace.get(workspace);
      if (beside !== undefined) {
        const words = `${workspace}: ${attemptId} beside ${beside.owner.attemptId}`;
        this.#fail('never two engines in one workspace', words);
      }
      byWorkspace.set(workspace, container);
    }
  }

  #isExecuting({ host, running }: SimContainer): boolean {
    return running && !host.suspended && this.#nowMs() - host.resumedAtMs > AFTER_RESUME_MS;
  }
}
