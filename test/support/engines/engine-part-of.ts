import { hostProgram } from '../../../runner/src/engine/parts/host-program.ts';
import type { SystemPart } from '../system-part.ts';

/** Whether an engine that is installed apart from Switchyard is there, for its contract tests. */
export function enginePartOf(name: string): SystemPart {
  const program = hostProgram(name);
  if (program !== null) return { available: true, detail: program.join(' ') };
  const reason = `the engine ${name} is not installed here: run "switchyard engine install ${name}"`;
  return { available: false, reason };
}
