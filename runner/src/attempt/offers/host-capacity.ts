import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import type { Load, OfferAnswer } from '../../connection/attempt-port.ts';
import type { Clock } from '../../connection/clock.ts';
import type { ContainerEngine, ContainerName } from '../../container/container-engine.ts';
import type { Engines } from '../../engine/engines.ts';
import { isolationProblem } from '../session/isolation-problem.ts';
import type { DiskWatch } from '../watch/disk-watch.ts';
import type { LoadGauge } from '../watch/load-gauge.ts';
import { type HostState, judgeOffer } from './judge-offer.ts';

export type HostCapacityDeps = {
  containers: ContainerEngine;
  engines: Engines;
  disk: DiskWatch;
  gauge: LoadGauge;
  clock: Clock;
  /** Whether agents cannot be isolated at the moment. Left out: they always can. */
  isClosed?(): boolean;
};

/** What this host can take: its slots, disk and engines, unless it drains. */
export class HostCapacity {
  readonly #deps: HostCapacityDeps;
  readonly #total: number;
  #isDraining = false;
  /** Null while there is no drain order that could be undone. */
  #undoDrain: (() => void) | null = null;

  constructor(deps: HostCapacityDeps, slots: number) {
    this.#deps = deps;
    this.#total = slots;
  }

  /** `used`: slots that attempts occupy. */
  slots(used: number): { total: number; free: number } {
    const { disk, isClosed } = this.#deps;
    const closed = this.#isDraining || disk.isLow || isClosed?.() === true;
    return { total: this.#total, free: closed ? 0 : Math.max(0, this.#total - used) };
  }

  /** Resource usage of running attempts. */
  load(running: readonly ContainerName[]): Load {
    return this.#deps.gauge.read(running);
  }

  /** Whether this host accepts an offer, given its leases. */
  judge(
    { attemptId, spec }: ControlPlaneMessageOf<'offer'>,
    leases: Pick<HostState, 'entries' | 'attemptIsDying'> & { used: number },
  ): OfferAnswer {
    const { containers, engines, disk } = this.#deps;
    const { image } = spec.sandbox;
    const mayWait = !this.#isDraining && spec.merge === undefined;
    return judgeOffer(attemptId, spec, {
      draining: this.#isDraining,
      diskLow: disk.isLow,
      freeSlots: this.slots(leases.used).free,
      entries: leases.entries,
      hasEngine: engines.find(spec.engine.name) !== null,
      engineWait: mayWait ? (engines.want?.(spec.engine.name) ?? null) : null,
      isolationProblem: isolationProblem(containers, spec.sandbox),
      isAllowedImage: image === undefined || (containers.allowsImage?.(image) ?? true),
      attemptIsDying: leases.attemptIsDying,
    });
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Takes nothing new; calls `expired` after the deadline, unless the drain is undone before. */
  drain(deadlineMs: number, expired: () => void): void {
    this.#isDraining = true;
    this.#undoDrain = this.#deps.clock.after(deadlineMs, expired);
  }

  /** Undoes a drain order; false when there is none that could be undone. */
  undrain(): boolean {
    if (this.#undoDrain === null) return false;
    this.#undoDrain();
    this.#undoDrain = null;
    this.#isDraining = false;
    return true;
  }

  /** Takes nothing new for good. */
  close(): void {
    this.#isDraining = true;
    this.#undoDrain = null;
  }
}
