import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { deferred } from '@switchyard/shared/deferred';
import type { ContainerExit } from '../container-engine.ts';
import { exitFromStatus } from '../exit-from-status.ts';
import { SERVICE_LABEL } from './container-labels.ts';
import { dockerCall, isMissing } from './daemon/docker-call.ts';

/** An `oom` event this shortly before the end is its cause. */
const OOM_WINDOW_MS = 5_000;
/** The kernel's out-of-memory event may reach the daemon after the end. */
const LATE_OOM_MS = 300;
/** Interval of a check for ends whose event was lost. */
const SWEEP_MS = 5_000;
const RECONNECT_MS = 200;
const RECONNECT_MAX_MS = 5_000;
/** How far back the first subscription reads, for a runner that was down. */
const REPLAY_S = 120;
const KILLED = 137;
/** Ends that are remembered for a late client. */
const MAX_SETTLED = 256;

type DockerEvent = {
  Action?: string;
  timeNano?: number;
  Actor?: { ID?: string; Attributes?: Record<string, string> };
};

type Watched = {
  lastOomAtMs: number | null;
  stopAsked: boolean;
  ending: boolean;
  settled: boolean;
  oomListeners: (() => void)[];
  settle: (exit: ContainerExit) => void;
  exited: Promise<ContainerExit>;
};

/** One container's end as the daemon reports it. */
export interface ExitNotice {
  readonly exited: Promise<ContainerExit>;
  /** Marks that a stop was requested, so that a kill is not the kernel's. */
  stopAsked(): void;
  onOom(listener: () => void): void;
}

/**
 * Detects the end of containers by one subscription to the daemon's events, and by a check every 5
 * s and after each reconnect. A kill counts as out of memory if an `oom` event came just before;
 * the container's own flag, which any earlier child sets, decides only without any event.
 */
export class ExitWatch {
  readonly #docker: Docker;
  readonly #warn: (message: string) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #closed = new AbortController();
  #stream: Promise<void> | null = null;
  #sinceS: number | null = null;
  #sweepTimer: NodeJS.Timeout | null = null;

  constructor(docker: Docker, warn: (message: string) => void) {
    this.#docker = docker;
    this.#warn = warn;
  }

  /**
   * Resolves once the subscription to events is open; without it a quick end would be noticed only
   * seconds later.
   */
  ready(): Promise<void> {
    this.#stream ??= this.#subscribe().catch((error: unknown) => {
      this.#stream = null;
      throw error;
    });
    return this.#stream;
  }

  /** Watches a container by its full id. A repeated call returns the same notice. */
  watch(containerId: string): ExitNotice {
    const watched = this.#watched.get(containerId) ?? this.#add(containerId);
    return {
      exited: watched.exited,
      stopAsked: () => {
        watched.stopAsked = true;
      },
      onOom: (listener) => watched.oomListeners.push(listener),
    };
  }

  /** Reads an end that happened before the container was watched. */
  async readEnd(containerId: string): Promise<void> {
    const watched = this.#watched.get(containerId);
    if (watched) await this.#end(containerId, watched, null);
  }

  close(): void {
    this.#closed.abort();
    if (this.#sweepTimer) clearInterval(this.#sweepTimer);
    this.#watched.clear();
  }

  #add(containerId: string): Watched {
    const { promise, resolve } = deferred<ContainerExit>();
    const watched: Watched = {
      lastOomAtMs: null,
      stopAsked: false,
      ending: false,
      settled: false,
      oomListeners: [],
      settle: resolve,
      exited: promise,
    };
    this.#watched.set(containerId, watched);
    this.#sweepTimer ??= setInterval(() => void this.#sweep(), SWEEP_MS).unref();
    return watched;
  }

  async #subscribe(): Promise<void> {
    this.#sinceS ??= Math.floor(Date.now() / 1000) - REPLAY_S;
    const since = this.#sinceS;
    const events = await dockerCall('subscribe to events', (signal) =>
      this.#docker.getEvents({
        since,
        filters: { type: ['container'], event: ['oom', 'die'], label: [SERVICE_LABEL] },
        abortSignal: AbortSignal.any([signal, this.#closed.signal]),
      }),
    );
    void this.#follow(events);
  }

  async #follow(events: NodeJS.ReadableStream): Promise<void> {
    let why = 'the daemon ended the stream';
    try {
      for await (const line of createInterface({ input: events })) {
        if (line !== '') this.#handle(JSON.parse(line));
      }
    } catch (error) {
      why = String(error);
    }
    this.#stream = null;
    if (!this.#closed.signal.aborted) {
      this.#warn(`docker: events are lost, trying again: ${why}`);
      await this.#resubscribe();
    }
  }

  async #resubscribe(): Promise<void> {
    for (let waitMs = RECONNECT_MS; ; waitMs = Math.min(2 * waitMs, RECONNECT_MAX_MS)) {
      await delay(waitMs, undefined, { ref: false });
      if (this.#closed.signal.aborted) return;
      const connected = await this.ready().then(
        () => true,
        () => false,
      );
      if (!connected) continue;
      this.#warn('docker: events are back');
      await this.#sweep();
      return;
    }
  }

  #handle(event: DockerEvent): void {
    const atMs = Math.floor((event.timeNano ?? 0) / 1e6);
    this.#sinceS = Math.max(this.#sinceS ?? 0, Math.floor(atMs / 1000));
    const containerId = event.Actor?.ID ?? '';
    if (containerId === '') return;
    // Also for unwatched containers, because the list of containers lags behind the events.
    const watched = this.#watched.get(containerId) ?? this.#add(containerId);
    if (event.Action === 'oom' && (watched.lastOomAtMs ?? 0) < atMs) {
      watched.lastOomAtMs = atMs;
      for (const listener of watched.oomListeners) listener();
    }
    if (event.Action === 'die') {
      const exitCode = Number(event.Actor?.Attributes?.['exitCode']);
      void this.#end(containerId, watched, { exitCode, atMs });
    }
  }

  async #sweep(): Promise<void> {
    if ([...this.#watched.values()].every((watched) => watched.settled)) return;
    try {
      const present = await dockerCall('list containers', () =>
        this.#docker.listContainers({ all: true, filters: { label: [SERVICE_LABEL] } }),
      );
      const states = new Map(present.map((container) => [container.Id, container.State]));
      for (const [containerId, watched] of this.#watched) {
        const state = states.get(containerId);
        if (state === undefined || state === 'exited' || state === 'dead') {
          await this.#end(containerId, watched, null);
        }
      }
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#warn(String(error));
    }
  }

  async #end(
    containerId: string,
    watched: Watched,
    reported: { exitCode: number; atMs: number } | null,
  ): Promise<void> {
    if (watched.ending) return;
    watched.ending = true;
    try {
      const known = reported ?? (await this.#inspectEnd(containerId));
      const oom =
        known.exitCode === KILLED && (await this.#wasOom(containerId, watched, known.atMs));
      watched.settle(exitFromStatus(known.exitCode, { oom }));
      watched.settled = true;
      this.#forgetOldest();
    } catch (error) {
      watched.ending = false;
      this.#warn(String(error));
    }
  }

  #forgetOldest(): void {
    const settled = [...this.#watched].filter(([, watched]) => watched.settled);
    for (const [containerId] of settled.slice(0, -MAX_SETTLED)) this.#watched.delete(containerId);
  }

  async #wasOom(containerId: string, watched: Watched, endedAtMs: number): Promise<boolean> {
    if (watched.stopAsked) return false;
    if (watched.lastOomAtMs === null) await delay(LATE_OOM_MS);
    if (watched.lastOomAtMs !== null) return endedAtMs - watched.lastOomAtMs <= OOM_WINDOW_MS;
    return (await this.#inspectEnd(containerId)).oomFlag;
  }

  /** Reads how a container ended; one that was removed, or never started, has no exit code. */
  async #inspectEnd(
    containerId: string,
  ): Promise<{ exitCode: number | null; atMs: number; oomFlag: boolean }> {
    try {
      const { State: state } = await dockerCall('inspect container', () =>
        this.#docker.getContainer(containerId).inspect(),
      );
      if (state.Running) throw new Error(`container ${containerId.slice(0, 12)} still runs`);
      if (state.Status === 'created') return { exitCode: null, atMs: Date.now(), oomFlag: false };
      const atMs = Date.parse(state.FinishedAt);
      return { exitCode: state.ExitCode, atMs, oomFlag: state.OOMKilled };
    } catch (error) {
      if (isMissing(error)) return { exitCode: null, atMs: Date.now(), oomFlag: false };
      throw error;
    }
  }
}
