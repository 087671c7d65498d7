import type { Mount } from '../../container/container-engine.ts';
import type { EngineEvent, EngineSession } from '../../engine/agent-engine.ts';
import type { AttemptEnd } from '../attempt-end.ts';
import type { EnginePlace, RunningContainer, StartingEngine } from './engine-place.ts';

/** Mounts and environment that the `after_create` hook gets besides its own. */
export type HookAdditions = {
  mounts: readonly Mount[];
  env: Readonly<Record<string, string>>;
};

/** How an attempt ends. */
export type AttemptEnding = {
  /** Null: nothing will be reported, since the lease was lost or is given back. */
  end: AttemptEnd | null;
  /** Null: no engine was about to start. */
  place: EnginePlace | null;
};

/**
 * A concern that accompanies an attempt, such as a watch or a mount. It takes part in the moments
 * that it has a method for; `createCompanions` lists all companions in their order. An attempt
 * whose engine a former process started begins with `accessGranted` and `containerRuns`.
 *
 * An error of `sessionClosing`, `engineEnded` or `attemptEnded` is logged, since the attempt ends
 * in any case; an error of any other moment ends the attempt.
 */
export interface Companion {
  /** Names it in the log. */
  readonly name: string;
  /** How long each of its ends may take. Default: two minutes. */
  readonly endLimitMs?: number;
  /** The attempt has access to its model and network, and may have containers from now on. */
  accessGranted?(): void;
  /**
   * Calls `run` once, which runs the hook `after_create`, and returns its result. `isBaseBranch`:
   * the workspace has nothing but the base branch.
   */
  aroundCreationHook?<T>(
    hook: { isBaseBranch: boolean },
    run: (additions: HookAdditions) => Promise<T>,
  ): Promise<T>;
  /** The engine is about to start. Resolves with mounts for its container. */
  engineStarting?(engine: StartingEngine): Promise<readonly Mount[]>;
  /** The engine's container runs, with no session yet. */
  containerRuns?(running: RunningContainer): Promise<void> | void;
  /** The engine answers. Returns the session that the attempt uses from now on. */
  sessionOpened?(session: EngineSession): EngineSession;
  /** The engine works on its first thread, so it has read the files of its home. */
  threadOpened?(place: EnginePlace): Promise<void>;
  /** A turn starts now. `isAdopted`: it started under a former process. */
  turnStarting?(turn: { isAdopted: boolean }): void;
  /** The engine reported something, which is not stored yet. */
  engineEvent?(event: EngineEvent): Promise<void> | void;
  /**
   * A turn ended without a failure; the work is reviewed next. After a restart of the runner it may
   * come again for the same turn.
   */
  turnCompleted?(place: EnginePlace): Promise<void>;
  /** The session, if there is one, is about to be closed. */
  sessionClosing?(): void;
  /** No container of the engine runs any more; hooks and checks may follow. Comes once. */
  engineEnded?(place: EnginePlace | null): Promise<void>;
  /** The last of the attempt's work is over. Comes once. */
  attemptEnded?(ending: AttemptEnding): Promise<void>;
}
