import { DurableObject } from 'cloudflare:workers';
import { createCoordinator } from '../../../coordinator/coordinator.ts';
import { createRun } from '../../../coordinator/create-run.ts';
import type { Deps } from '../../../deps.ts';
import { boundDates } from '../../../coordinator/bound-dates.ts';
import { createLeadership, type SeenRow } from '../../../jobs/leadership/create-leadership.ts';
import { beginRecovery } from '../../../runners/recovery/begin-recovery.ts';
import { createObjectWriter } from '../database/create-object-writer.ts';
import { memoizeAsync } from '../memoize-async.ts';
import type { CoordinatorCalls } from '../coordinator-calls.ts';
import { remoteRunners } from '../remote-runners.ts';
import { startWorkerCore } from '../start-worker-core.ts';
import type { WorkerEnv } from '../worker-env.ts';
import { workerLogger } from '../worker-logger.ts';

/** Delay after the core could not be built, for example without the database. */
const RETRY_START_MS = 5_000;
/** An alarm later than this means that no lease could be renewed meanwhile. */
const LATE_MS = 20_000;

/** State that may be lost: then no lease expires for one lease time, as after a start. */
type Standing = { deployment: string; leadsSinceMs: number };

/**
 * The coordinator's object: an alarm at the next due row, and no timers. Every run happens in the
 * alarm's handler, so that the runtime repeats one that an eviction interrupted.
 */
export class Coordinator extends DurableObject<WorkerEnv> implements CoordinatorCalls {
  /** When the alarm is due, epoch milliseconds; null: none was set since the object started. */
  #dueAtMs: number | null = null;
  /** The coordinator while a run is in progress. */
  #running: { wake(): void } | null = null;
  readonly #core = memoizeAsync(() => this.#start());

  /** Requests a run now. `publicOrigin` is this service's public origin, for links. */
  async wake(publicOrigin: string | null): Promise<void> {
    const known = await this.ctx.storage.get<string>('publicOrigin');
    if (publicOrigin !== null && known === undefined)
      await this.ctx.storage.put('publicOrigin', publicOrigin);
    // Stored, because the object may be evicted before its alarm.
    await this.ctx.storage.put('woken', true);
    // A running coordinator sets the alarm at its end, so it must know of this.
    this.#running?.wake();
    await this.#ring(Date.now());
  }

  /** Sets the alarm again if it was lost. */
  async ensureAlarm(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.#ring(Date.now());
  }

  override async alarm(): Promise<void> {
    try {
      const { deps, coordinator } = await this.#core();
      deps.service.publicOrigin ??= (await this.ctx.storage.get<string>('publicOrigin')) ?? null;
      await this.#noteLateness(deps);
      this.#running = coordinator;
      const byAlarm = (await this.ctx.storage.get<boolean>('woken')) !== true;
      await this.ctx.storage.delete('woken');
      coordinator.wake(byAlarm);
      await coordinator.settled().finally(() => {
        this.#running = null;
      });
    } catch (error) {
      workerLogger(this.env).error('the core did not start or failed', { error: String(error) });
      await this.ctx.storage.put('woken', true);
      await this.#ring(Date.now() + RETRY_START_MS);
    }
  }

  async #ring(atMs: number): Promise<void> {
    this.#dueAtMs = atMs;
    await this.ctx.storage.setAlarm(atMs);
  }

  /** While no run was possible, no runner could renew, so nothing may expire right after. */
  async #noteLateness({ service }: Pick<Deps, 'service'>): Promise<void> {
    const nowMs = Date.now();
    if (this.#dueAtMs === null || nowMs - this.#dueAtMs < LATE_MS) return;
    service.leadsSinceMs = nowMs;
    service.leasesRestUntilMs = nowMs + service.leaseTimes.ttlMs;
    await this.ctx.storage.put('standing', standing(this.env, nowMs));
  }

  async #start() {
    const { deps } = await startWorkerCore(
      this.env,
      ({ background }) => ({
        connections: remoteRunners(this.env, background),
        alarm: { set: (atMs) => background.run('set the alarm', () => this.#ring(atMs)) },
        wake: () => background.run('wake', () => this.wake(null)),
      }),
      createObjectWriter(this.env),
    );
    deps.logger.info('the coordinator starts', { version: deps.service.version });
    await this.#resume(deps);
    const coordinator = createCoordinator({
      ...deps,
      lead: await this.#lead(deps),
      run: createRun(deps),
    });
    return { deps, coordinator };
  }

  /** Continues after an eviction; a new deployment starts like any other instance. */
  async #resume(deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'config' | 'service'>): Promise<void> {
    const before = await this.ctx.storage.get<Standing>('standing');
    const now = standing(this.env, deps.clock.nowMs());
    if (before?.deployment === now.deployment) {
      deps.service.leadsSinceMs = before.leadsSinceMs;
      deps.service.leasesRestUntilMs = before.leadsSinceMs + deps.service.leaseTimes.ttlMs;
      return;
    }
    await boundDates(deps);
    await beginRecovery(deps);
    await this.ctx.storage.put({ standing: now, woken: true });
  }

  /**
   * There is one such object, so it need not renew while it rests; the leadership of another host
   * is respected. The observed row is stored, because the object may be evicted before it expires.
   */
  async #lead(
    deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  ): Promise<() => Promise<{ leads: boolean; nextCheckAtMs: number }>> {
    const seen = (await this.ctx.storage.get<SeenRow>('seenLeader')) ?? null;
    const hold = createLeadership(deps, { holder: 'workers', holderGone: () => false, seen });
    return async () => {
      const held = await hold();
      if (held.seen === null) await this.ctx.storage.delete('seenLeader');
      else await this.ctx.storage.put('seenLeader', held.seen);
      const againAtMs = deps.clock.nowMs() + held.nextCheckInMs;
      return {
        leads: held.leads,
        nextCheckAtMs: held.leads ? Number.POSITIVE_INFINITY : againAtMs,
      };
    };
  }
}

function standing(env: WorkerEnv, leadsSinceMs: number): Standing {
  return { deployment: env.VERSION?.id ?? 'unknown', leadsSinceMs };
}
