import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { commandText } from '@switchyard/shared/text/command-text';
import type { EnginePart } from './engine-parts.ts';
import { enginesFolder } from './engines-folder.ts';

/** This host's platform, as in `EnginePart.platforms`. */
export const hostPlatform = (): string => `${process.platform}-${process.arch}`;

/** Folder of an engine's version on this host, whether it is installed or not. */
export function partFolder(part: EnginePart, env: NodeJS.ProcessEnv = process.env): string {
  return join(enginesFolder(env), `${part.name}-${part.version}`);
}

/** Folder of an installed engine on this host; null: it is not installed. */
export function installedFolder(
  part: EnginePart,
  env: NodeJS.ProcessEnv = process.env,
): string | null {
  const folders = [partFolder(part, env), dependencyFolder(part)];
  return folders.find((folder) => folder && existsSync(join(folder, part.program))) ?? null;
}

/** An engine's folder in a checkout's node_modules, if it has the pinned version; else null. */
function dependencyFolder({ dependencies }: EnginePart): string | null {
  const dependency = dependencies?.[hostPlatform()];
  if (dependency === undefined) return null;
  const here = createRequire(import.meta.url);
  try {
    const manifestPath = here.resolve(`${dependency.package}/package.json`);
    const { version } = here(manifestPath) as { version?: unknown };
    return version === dependency.version ? join(dirname(manifestPath), dependency.folder) : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** Whether an engine has a build that can run on this host, installed or not. */
export function canFetch({ platforms, nodeMajor = 0 }: EnginePart): boolean {
  return platforms[hostPlatform()] !== undefined && runningMajor() >= nodeMajor;
}

const runningMajor = (): number => Number.parseInt(process.versions.node, 10);

/** Why an engine cannot run as a plain process here, with advice; null: it can. */
export function hostProblem(part: EnginePart, env: NodeJS.ProcessEnv = process.env): string | null {
  const { name, nodeMajor = 0, platforms, version } = part;
  if (platforms[hostPlatform()] === undefined) {
    return `The agent engine ${name} ${version} has no build for ${hostPlatform()}; run its agents in Docker or on another machine.`;
  }
  if (installedFolder(part, env) === null) {
    return `The agent engine ${name} ${version} is not installed on this host; run "${commandText(`engine install ${name}`, env)}", or run agents in Docker with an image that has it.`;
  }
  if (runningMajor() < nodeMajor) {
    return `The agent engine ${name} needs Node ${nodeMajor} or later and this is ${process.versions.node}; start Switchyard with a newer Node, or run agents in Docker.`;
  }
  return null;
}
