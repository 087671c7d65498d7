import { messageOf } from '@switchyard/shared/message-of';
import type { Clock } from '../../connection/clock.ts';
import type { LeaseRef } from '../../connection/lease-ref.ts';
import type { Mount } from '../../container/container-engine.ts';
import type { EngineEvent, EngineSession } from '../../engine/agent-engine.ts';
import type { Log } from '../../log.ts';
import type { AttemptEnding, Companion, HookAdditions } from './companion.ts';
import type { EnginePlace, RunningContainer, StartingEngine } from './engine-place.ts';

/** After this time the attempt no longer waits for the end of a companion. */
const END_LIMIT_MS = 120_000;

/** All companions of an attempt as one: in each moment one after the other, in their order. */
export class Companions implements Omit<Required<Companion>, 'name' | 'endLimitMs'> {
  readonly #list: readonly Companion[];
  readonly #deps: { ref: LeaseRef; clock: Clock; log: Log };
  #hasEngineEnded = false;

  constructor(list: readonly Companion[], deps: { ref: LeaseRef; clock: Clock; log: Log }) {
    this.#list = list;
    this.#deps = deps;
  }

  accessGranted(): void {
    for (const each of this.#list) each.accessGranted?.();
  }

  async aroundCreationHook<T>(
    hook: { isBaseBranch: boolean },
    run: (additions: HookAdditions) => Promise<T>,
  ): Promise<T> {
    const runWithin = (
      [companion, ...others]: readonly Companion[],
      { mounts, env }: HookAdditions,
    ): Promise<T> => {
      if (companion === undefined) return run({ mounts, env });
      if (companion.aroundCreationHook === undefined) return runWithin(others, { mounts, env });
      return companion.aroundCreationHook(hook, (more) =>
        runWithin(others, { mounts: [...mounts, ...more.mounts], env: { ...env, ...more.env } }),
      );
    };
    return await runWithin(this.#list, { mounts: [], env: {} });
  }

  async engineStarting(engine: StartingEngine): Promise<readonly Mount[]> {
    const mounts: Mount[] = [];
    for (const each of this.#list) mounts.push(...((await each.engineStarting?.(engine)) ?? []));
    return mounts;
  }

  async containerRuns(running: RunningContainer): Promise<void> {
    for (const each of this.#list) await each.containerRuns?.(running);
  }

  sessionOpened(session: EngineSession): EngineSession {
    return this.#list.reduce((used, each) => each.sessionOpened?.(used) ?? used, session);
  }

  async threadOpened(place: EnginePlace): Promise<void> {
    for (const each of this.#list) await each.threadOpened?.(place);
  }

  turnStarting(turn: { isAdopted: boolean }): void {
    for (const each of this.#list) each.turnStarting?.(turn);
  }

  async engineEvent(event: EngineEvent): Promise<void> {
    for (const each of this.#list) {
      const handled = each.engineEvent?.(event);
      if (handled !== undefined) await handled;
    }
  }

  async turnCompleted(place: EnginePlace): Promise<void> {
    for (const each of this.#list) await each.turnCompleted?.(place);
  }

  sessionClosing(): void {
    for (const each of this.#list) {
      try {
        each.sessionClosing?.();
      } catch (error) {
        this.#report(each, error);
      }
    }
  }

  async engineEnded(place: EnginePlace | null): Promise<void> {
    if (this.#hasEngineEnded) return;
    this.#hasEngineEnded = true;
    for (const each of this.#list) await this.#end(each, () => each.engineEnded?.(place));
  }

  async attemptEnded(ending: AttemptEnding): Promise<void> {
    for (const each of this.#list) await this.#end(each, () => each.attemptEnded?.(ending));
  }

  async #end(companion: Companion, end: () => Promise<void> | undefined): Promise<void> {
    try {
      const ended = end();
      if (ended !== undefined) await this.#withinLimit(companion, ended);
    } catch (error) {
      this.#report(companion, error);
    }
  }

  async #withinLimit({ endLimitMs = END_LIMIT_MS }: Companion, ended: Promise<void>) {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = this.#deps.clock.after(endLimitMs, () =>
        reject(new Error(`it did not end within ${endLimitMs / 1_000} s`)),
      );
    });
    try {
      await Promise.race([ended, late]);
    } finally {
      cancel();
    }
  }

  #report({ name }: Companion, error: unknown): void {
    const { ref, log } = this.#deps;
    log.error(`${name} did not end properly`, { ...ref, error: messageOf(error) });
  }
}
