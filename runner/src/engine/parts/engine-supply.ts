import type { RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { Clock } from '../../connection/clock.ts';
import type { Log } from '../../log.ts';
import { type EnginePart, engineParts } from './engine-parts.ts';
import { canFetch, hostProblem } from './host-problem.ts';
import type { InstallOptions } from './install-part.ts';

/** Waits before a failed download is retried; the last one repeats. */
const RETRY_MS = [60_000, 5 * 60_000, 30 * 60_000] as const;
/**
 * Interval at which a missing engine that could not be downloaded is checked, since a person may
 * have installed it.
 */
const PROBE_EVERY_MS = 60_000;
/** Source: RunnerEngine in shared/src/engine/runner-engine.ts. */
const MAX_PROBLEM_CHARS = 500;

type Failed = { state: 'failed'; problem: string };
type Fetch = { state: 'fetching'; step: string } | Failed;

export type EngineSupplyOptions = {
  /** The terms of proprietary engines are accepted. */
  acceptsLicence: boolean;
  install(part: EnginePart, options: InstallOptions): Promise<unknown>;
  clock: Pick<Clock, 'after'>;
  log: Log;
  env?: NodeJS.ProcessEnv;
  parts?: readonly EnginePart[];
};

export type AwaitedPart = { part: EnginePart } & Pick<RunnerEngine, 'state' | 'problem'>;

/**
 * Downloads missing engines for agents that run as plain processes: each when an attempt first
 * needs it, and no attempt starts meanwhile. A control plane only names an engine; its content and
 * source are decided by this host.
 */
export class EngineSupply {
  readonly #options: EngineSupplyOptions;
  readonly #stop = new AbortController();
  readonly #fetches = new Map<string, Fetch>();
  readonly #failures = new Map<string, number>();
  readonly #works = new Set<Promise<void>>();
  #changed = (): void => undefined;

  constructor(options: EngineSupplyOptions) {
    this.#options = options;
  }

  /** Registers a listener for the start, success and failure of downloads. */
  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** The state of engines that are missing and may be downloaded. */
  announced(): AwaitedPart[] {
    return this.#parts().flatMap((part): AwaitedPart[] => {
      if (!this.#isFetchable(part)) return [];
      const fetch = this.#fetches.get(part.name);
      if (fetch?.state !== 'failed') return [{ part, state: fetch?.state ?? 'fetchable' }];
      return [{ part, state: fetch.state, problem: cutText(fetch.problem, MAX_PROBLEM_CHARS) }];
    });
  }

  /**
   * Why an engine is not ready yet, for people; null when it is installed or cannot be downloaded.
   * Starts the download if allowed; for a person also right after a failure.
   */
  want(name: string, { isPerson = false } = {}): string | null {
    const part = this.#parts().find((one) => one.name === name);
    if (part === undefined || !this.#isFetchable(part)) return null;
    const fetch = this.#fetches.get(name);
    if (fetch?.state === 'failed' && !isPerson)
      return `the agent engine ${name} could not be fetched: ${fetch.problem}`;
    if (fetch?.state !== 'fetching') this.#begin(part);
    const step = fetch?.state === 'fetching' ? ` (${fetch.step})` : '';
    return `the agent engine ${name} ${part.version} is being fetched${step}`;
  }

  /** Resolves when the running download is over, whether it succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#works);
  }

  /** Cancels the running download; resolves when it has ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  #parts(): readonly EnginePart[] {
    return this.#options.parts ?? engineParts();
  }

  #isFetchable(part: EnginePart): boolean {
    const { acceptsLicence, env } = this.#options;
    const isAllowed = part.licenceNotice === null || acceptsLicence;
    return isAllowed && canFetch(part) && hostProblem(part, env) !== null;
  }

  #begin(part: EnginePart): void {
    const work = this.#fetch(part).finally(() => {
      this.#works.delete(work);
      if (!this.#stop.signal.aborted) this.#changed();
    });
    this.#works.add(work);
    // Not while an offer is being answered.
    queueMicrotask(() => this.#changed());
  }

  async #fetch(part: EnginePart): Promise<void> {
    const { install, log, acceptsLicence, env } = this.#options;
    const { name } = part;
    this.#fetches.set(name, {
      state: 'fetching',
      step: `about ${part.sizeMiB} MiB when installed`,
    });
    const progress = (step: string): void => {
      log.info('agent engine', { step });
      this.#fetches.set(name, { state: 'fetching', step });
    };
    const { signal } = this.#stop;
    try {
      await install(part, {
        progress,
        acceptsLicence,
        signal,
        ...(env === undefined ? {} : { env }),
      });
      this.#fetches.delete(name);
      this.#failures.delete(name);
    } catch (error) {
      if (signal.aborted) return log.info('the agent engine was not fetched to the end', { name });
      const failures = this.#failures.get(name) ?? 0;
      this.#failures.set(name, failures + 1);
      const failed: Failed = { state: 'failed', problem: messageOf(error) };
      this.#fetches.set(name, failed);
      log.error('the agent engine could not be fetched', { name, error: failed.problem });
      this.#forgetLater(part, failed, RETRY_MS[failures] ?? RETRY_MS[2]);
    }
  }

  /** Drops a failure after `leftMs`, or as soon as the engine is found installed. */
  #forgetLater(part: EnginePart, failed: Failed, leftMs: number): void {
    const waitMs = Math.min(leftMs, PROBE_EVERY_MS);
    this.#options.clock.after(waitMs, () => {
      if (this.#stop.signal.aborted || this.#fetches.get(part.name) !== failed) return;
      const isMissing = hostProblem(part, this.#options.env) !== null;
      if (isMissing && leftMs > waitMs) return this.#forgetLater(part, failed, leftMs - waitMs);
      this.#fetches.delete(part.name);
      this.#changed();
    });
  }
}
