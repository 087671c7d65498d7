import type { AttemptContext, AttemptDeps } from '../attempt-deps.ts';
import type { Companion, HookAdditions } from '../companions/companion.ts';

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

const NO_CACHE: HookAdditions = { mounts: [], env: {} };

/**
 * Gives the hook of a new workspace its repository's cache, if configured. Only in a workspace that
 * is exactly the base branch: agents' files must never reach a cache that other issues use.
 */
export function useSetupCache(context: CacheContext): Companion {
  return {
    name: 'the dependency cache',
    aroundCreationHook: (hook, run) => runWithCache(context, hook, run),
  };
}

async function runWithCache<T>(
  context: CacheContext,
  { isBaseBranch }: { isBaseBranch: boolean },
  run: (cache: HookAdditions) => Promise<T>,
): Promise<T> {
  const { spec, deps, recorder } = context;
  const maxBytes = spec.sandbox.setupCacheBytes;
  if (maxBytes === undefined || !isBaseBranch) return run(NO_CACHE);
  if (deps.caches === undefined || deps.containers.isolation !== 'docker') {
    await recorder.log('runner', 'no dependency cache: this runner has none for plain processes');
    return run(NO_CACHE);
  }
  const { url: repositoryUrl } = spec.repository;
  return deps.caches.use(
    { repositoryUrl, maxBytes, nowMs: deps.clock.nowMs() },
    (hostPath) => {
      const mount = { hostPath, containerPath: CACHE_FOLDER, readOnly: false };
      return run({ mounts: [mount], env: CACHE_ENVIRONMENT });
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
