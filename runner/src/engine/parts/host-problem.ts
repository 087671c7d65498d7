import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandText } from '@switchyard/shared/text/command-text';
import type { EnginePart } from './engine-parts.ts';
import { enginesFolder } from './engines-folder.ts';

/** This host as `EnginePart.platforms` names it. */
export const hostPlatform = (): string => `${process.platform}-${process.arch}`;

/** Folder of an engine's version on this host, whether it is installed or not. */
export function partFolder(part: EnginePart, env: NodeJS.ProcessEnv = process.env): string {
  return join(enginesFolder(env), `${part.name}-${part.version}`);
}

/** Why an engine cannot run as a plain process here, and what to do; null: it can. */
export function hostProblem(part: EnginePart, env: NodeJS.ProcessEnv = process.env): string | null {
  const { name, nodeMajor = 0, platforms, program, version } = part;
  if (platforms[hostPlatform()] === undefined) {
    return `The agent engine ${name} ${version} has no build for ${hostPlatform()}; run its agents in Docker or on another machine.`;
  }
  if (!existsSync(join(partFolder(part, env), program))) {
    return `The agent engine ${name} ${version} is not installed on this host; run "${commandText(`engine install ${name}`, env)}", or run agents in Docker with an image that has it.`;
  }
  if (Number.parseInt(process.versions.node, 10) < nodeMajor) {
    return `The agent engine ${name} needs Node ${nodeMajor} or later and this is ${process.versions.node}; start Switchyard with a newer Node, or run agents in Docker.`;
  }
  return null;
}
