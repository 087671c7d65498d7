import type { Mount } from '../../container/container-engine.ts';
import type { AttemptContext, AttemptDeps } from '../attempt-deps.ts';

/** Mount point of a repository's cache in a set-up hook's container. */
const CACHE_FOLDER = '/var/cache/switchyard';
/** Variables by which package managers find their cache. */
const CACHE_ENVIRONMENT = {
  SWITCHYARD_CACHE: CACHE_FOLDER,
  npm_config_cache: `${CACHE_FOLDER}/npm`,
  PIP_CACHE_DIR: `${CACHE_FOLDER}/pip`,
  CARGO_HOME: `${CACHE_FOLDER}/cargo`,
};

/** The parts of an attempt's context that caches need. */
export type CacheContext = {
  spec: Pick<AttemptContext['spec'], 'sandbox' | 'repository'>;
  recorder: Pick<AttemptContext['recorder'], 'log'>;
  deps: Pick<AttemptDeps, 'caches' | 'clock'> & {
    containers: Pick<AttemptDeps['containers'], 'isolation'>;
  };
};

/** Mounts and environment that give a hook its repository's cache. */
export type SetupCache = { mounts: readonly Mount[]; env: Readonly<Record<string, string>> };
const NO_CACHE: SetupCache = { mounts: [], env: {} };

/**
 * Runs the set-up hook with its repository's cache, if configured. Only in a workspace that is
 * exactly the base branch: agents' files must never reach a cache that other issues use.
 */
export async function withSetupCache<T>(
  context: CacheContext,
  { isBaseBranch }: { isBaseBranch: boolean },
  work: (cache: SetupCache) => Promise<T>,
): Promise<T> {
  const { spec, deps, recorder } = context;
  const maxBytes = spec.sandbox.setupCacheBytes;
  if (maxBytes === undefined || !isBaseBranch) return work(NO_CACHE);
  if (deps.caches === undefined || deps.containers.isolation !== 'docker') {
    await recorder.log('runner', 'no dependency cache: this runner has none for plain processes');
    return work(NO_CACHE);
  }
  const { url: repositoryUrl } = spec.repository;
  return deps.caches.use(
    { repositoryUrl, maxBytes, nowMs: deps.clock.nowMs() },
    (hostPath) => {
      const mount = { hostPath, containerPath: CACHE_FOLDER, readOnly: false };
      return work({ mounts: [mount], env: CACHE_ENVIRONMENT });
    },
    (diskBytes) =>
      recorder.log(
        'runner',
        `the dependency cache of this repository was emptied: ${mebibytes(diskBytes)}, more than ${mebibytes(maxBytes)}`,
      ),
  );
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
