import { isStrongEnough } from '@switchyard/shared/sandbox/isolation-level';
import type { IsolationLevel, RequiredIsolation } from '@switchyard/shared/sandbox/isolation-level';
import type { ContainerEngine, EngineContainer } from '../../container/container-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';

/**
 * Why this host cannot provide the requested isolation, checked before anything starts; null when
 * it can.
 */
export function isolationProblem(
  containers: Pick<ContainerEngine, 'isolation' | 'levelOf'>,
  wanted: { runtime?: string | undefined; isolation?: RequiredIsolation | undefined },
): string | null {
  const level = containers.levelOf?.(wanted.runtime) ?? null;
  if (wanted.runtime !== undefined && level === null) {
    return `this runner has no container runtime ${wanted.runtime} (engine.sandbox.runtime)`;
  }
  return weakness(level ?? 'process', wanted.isolation);
}

/**
 * Records which restrictions are in force. Throws AttemptFailed when they are weaker than
 * requested; the container then ends with the attempt.
 */
export async function recordLocks(
  context: AttemptContext,
  container: EngineContainer,
): Promise<void> {
  const { deps, spec, recorder } = context;
  const locks = (await deps.containers.locksOf?.(container)) ?? {
    level: 'process',
    network: 'host',
  };
  await recorder.event('isolation', { ...locks, required: spec.sandbox.isolation ?? 'process' });
  const problem = weakness(locks.level, spec.sandbox.isolation);
  if (problem !== null) throw new AttemptFailed('agent_error', problem);
}

function weakness(level: IsolationLevel, required: RequiredIsolation = 'process'): string | null {
  if (isStrongEnough(level, required)) return null;
  return `this runner isolates by "${level}" and engine.sandbox.isolation asks for "${required}"`;
}
