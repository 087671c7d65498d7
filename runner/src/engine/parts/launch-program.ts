import type { EngineHomeSpec } from '../agent-engine.ts';
import { hostProgram, requireHostProgram } from './host-program.ts';
import { imageProgram } from './image-program.ts';

/**
 * The command that starts an engine for a launch. Throws `EngineMissing` with advice when this host
 * lacks it, unless the engine already runs and need not be started.
 */
export function launchProgram(
  name: string,
  { sandboxed, isRunning }: Pick<EngineHomeSpec, 'sandboxed' | 'isRunning'>,
): string[] {
  if (sandboxed) return imageProgram(name);
  return isRunning === true ? (hostProgram(name) ?? []) : requireHostProgram(name);
}
