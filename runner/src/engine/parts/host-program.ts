import { join } from 'node:path';
import { EngineMissing } from './engine-missing.ts';
import { type EnginePart, enginePart } from './engine-parts.ts';
import { hostProblem, installedFolder } from './host-problem.ts';

/** The command that starts an engine on this host; null: it is not installed, or cannot run. */
export function hostProgram(name: string, env: NodeJS.ProcessEnv = process.env): string[] | null {
  const part = enginePart(name);
  return part === null || hostProblem(part, env) !== null ? null : commandOf(part, env);
}

/** As `hostProgram`, but throws `EngineMissing` with advice. */
export function requireHostProgram(name: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const part = enginePart(name);
  if (part === null) throw new EngineMissing(`There is no agent engine ${name}.`);
  const problem = hostProblem(part, env);
  if (problem !== null) throw new EngineMissing(problem);
  return commandOf(part, env);
}

function commandOf(part: EnginePart, env: NodeJS.ProcessEnv): string[] {
  const program = join(installedFolder(part, env) ?? '', part.program);
  return [...(part.nodeMajor === undefined ? [] : [process.execPath]), program, ...part.args];
}
