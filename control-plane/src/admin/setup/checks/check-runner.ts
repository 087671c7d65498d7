import { EngineCapabilities } from '@switchyard/shared/api/engine';
import type { Deps } from '../../../deps.ts';
import { AppError } from '../../../errors.ts';
import { askEngine } from '../../../runners/operations/ask-engine.ts';
import { connectedRunners } from '../../../runners/session/connected-runners.ts';
import { failedFinding, type Finding } from './finding.ts';

/** Checks that an agent engine starts: without one a runner is of no use. */
export async function checkRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'logger' | 'config' | 'resolveSecret'>,
): Promise<Finding> {
  try {
    const operation = { op: 'capabilities' } as const;
    const { engine } = await askEngine(deps, EngineCapabilities, { operation });
    const count = (await connectedRunners(deps, [])).length;
    return {
      ok: true,
      message: `${count} connected`,
      notes: [`Its engine starts: ${engine.name} ${engine.version}.`],
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // A disconnected runner has not failed its check.
    const isCheck = (await connectedRunners(deps, [])).length > 0;
    return { ...failedFinding(error.message), isCheck };
  }
}
