import type { EngineHomeSpec } from '../agent-engine.ts';
import { hostProgram, requireHostProgram } from './host-program.ts';
import { imageProgram } from './image-program.ts';

/**
 * The command that starts an engine where a launch wants it. Throws `EngineMissing` with what to do
 * where this host lacks it, unless the engine runs already: then nobody starts it again.
 */
export function launchProgram(
  name: string,
  { sandboxed, isRunning }: Pick<EngineHomeSpec, 'sandboxed' | 'isRunning'>,
): string[] {
  if (sandboxed) return imageProgram(name);
  return isRunning === true ? (hostProgram(name) ?? []) : requireHostProgram(name);
}
