import { pinnedEngine } from '../container/switching-engine.ts';
import type { AttemptDeps } from './attempt-deps.ts';
import { attemptContext, type ContextOf } from './held-attempt.ts';

/** Connects the contexts of attempts with the runner's parts. */
export function createContextOf(deps: AttemptDeps): ContextOf {
  const { containers } = deps;
  // The isolation is the one chosen when the attempt was granted, whatever new attempts get now.
  return (entry, token) => ({
    ...attemptContext(deps, entry, token),
    deps: { ...deps, containers: pinnedEngine(containers, entry.progress.isolation) },
  });
}
