import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';
import {
  CONTAINER_HOME,
  closeEngineHome,
  createEngineHome,
  removeSecretFiles,
} from '../mounts/engine-home.ts';
import { restoreSession } from './restore-work.ts';

/**
 * Longer than all that closing a home does, each with a limit of its own: the next attempt of the
 * issue begins with the sessions that are kept then.
 */
const CLOSE_LIMIT_MS = 60 * 60_000;

/**
 * The engine's home: created for its container, with the sessions of earlier work; rid of secret
 * files once its thread is open; closed after its container.
 */
export function mountHome(context: AttemptContext): Companion {
  const { deps, spec } = context;
  return {
    name: "the engine's home",
    endLimitMs: CLOSE_LIMIT_MS,
    async engineStarting({ home, launch }) {
      const { workIdentity: identity, isolation } = deps.containers;
      await restoreSession(context, home);
      const withSessions = spec.resumeThreadId !== undefined;
      await createEngineHome(deps.disk, home, { launch, withSessions, identity });
      const containerPath = isolation === 'docker' ? CONTAINER_HOME : home.path;
      return [{ hostPath: home.path, containerPath, readOnly: false }];
    },
    async containerRuns({ home, launch, isAdopted }) {
      // The thread has begun, but the former process may not have removed the files.
      if (isAdopted) await removeSecretFiles(home, launch.secretFiles ?? []);
    },
    threadOpened: ({ home, launch }) => removeSecretFiles(home, launch.secretFiles ?? []),
    async engineEnded(place) {
      if (place !== null) await closeEngineHome(deps.disk, place.home);
    },
  };
}
