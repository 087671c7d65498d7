import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { allEngines } from './engines.ts';
import { type EnginePart, enginePart, engineParts, packagesFor } from './parts/engine-parts.ts';
import { fetchPackage } from './parts/fetch-package.ts';
import { hostPlatform, hostProblem, installedFolder } from './parts/host-problem.ts';
import { installPart } from './parts/install-part.ts';
import { versionOnHost } from './host-engines.ts';

export type InstallFlags = { acceptLicence?: boolean; from?: string; json?: boolean };
export type DownloadFlags = { platform?: string };
/** Progress output of a command, and the signal that aborts it. */
export type EngineWork = { print: (line: string) => void; signal: AbortSignal };

/** There is no installable engine with that name. */
export class UnknownPart extends Error {}

/** An engine as listed by `engine list`. */
export type ListedEngine = {
  name: string;
  title: string;
  /** Installed version; null when it is not installed or cannot run here. */
  version: string | null;
  /** Why it cannot run as a plain process, with advice; null when it can. */
  problem: string | null;
  path: string | null;
  licence: string;
  /** Whether images with it may be given to others. */
  publishable: boolean;
  experimental: boolean;
  /** Wire formats of model providers that it supports, the preferred one first. */
  wireApis: readonly WireApi[];
};

/**
 * Installs an engine on this host and describes it. Throws `UnknownPart`, or as `installPart` does.
 */
export async function installEngine(
  name: string,
  flags: InstallFlags,
  { print, signal }: EngineWork,
): Promise<ListedEngine> {
  const part = enginePart(name);
  if (part === null) throw new UnknownPart(unknownMessage(name));
  const acceptsLicence = flags.acceptLicence === true || (await acceptsAtTerminal(part, signal));
  const { from } = flags;
  const given = from === undefined ? {} : { from: resolve(from) };
  await installPart(part, { progress: print, acceptsLicence, signal, ...given });
  const listed = listEngines().find((engine) => engine.name === name);
  if (listed === undefined) throw new UnknownPart(unknownMessage(name));
  if (listed.problem !== null) print(listed.problem);
  return listed;
}

function unknownMessage(name: string): string {
  const names = engineParts().map((part) => part.name);
  return `there is no agent engine "${name}" to install. Those that can be: ${names.join(', ')}`;
}

/**
 * Downloads an engine's archives for a platform into a folder, for `--from` on a machine without a
 * network. Throws `UnknownPart` also for a platform without a build, or as `fetchPackage` does.
 */
export async function downloadEngine(
  name: string,
  folder: string,
  { platform = hostPlatform() }: DownloadFlags,
  { print, signal }: EngineWork,
): Promise<void> {
  const part = enginePart(name);
  if (part === null) throw new UnknownPart(unknownMessage(name));
  if (part.platforms[platform] === undefined) {
    const known = Object.keys(part.platforms).join(', ');
    throw new UnknownPart(
      `${part.title} ${part.version} has no build for ${platform}: take one of ${known}`,
    );
  }
  for (const pinned of packagesFor(part, platform)) {
    await fetchPackage(pinned, { cacheFolder: folder, progress: print, signal });
  }
}

/** All engines that this version knows, and whether they can run as plain processes here. */
export function listEngines(): ListedEngine[] {
  return allEngines().map(({ name, capabilities }) => {
    const version = versionOnHost(name);
    const { experimental, wireApis } = capabilities;
    const part = enginePart(name);
    if (part === null) throw new Error(`nothing is known of the agent engine ${name}`);
    const { title, publishable } = part;
    const path = version === null ? null : installedFolder(part);
    const licence = licenceOf(part);
    return {
      name,
      title,
      version,
      problem: hostProblem(part),
      path,
      licence,
      publishable,
      experimental,
      wireApis,
    };
  });
}

/** Licences of an engine's packages without duplicates. */
function licenceOf({ packages, platforms }: EnginePart): string {
  const all = [...packages, ...Object.values(platforms).flat()];
  return [...new Set(all.map(({ licence }) => licence))].join(', ');
}

/** The list of engines as text for people. */
export function engineListText(engines: readonly ListedEngine[]): string {
  return engines
    .map(({ name, title, version, problem, path, licence, publishable, experimental }) => {
      const head = `${name.padEnd(12)} ${title}${version === null ? '' : ` ${version}`}`;
      const notes = [
        ...(path === null ? [] : [path]),
        ...(problem === null ? [] : [problem]),
        `licence: ${licence}${publishable ? '' : '; images with it must not be published'}`,
        ...(experimental ? ['experimental: its contract is not fully tested'] : []),
      ];
      return `${head}\n${notes.map((note) => `${' '.repeat(13)}${note}\n`).join('')}`;
    })
    .join('');
}

/** Shows the terms and asks a person at the terminal; false when they are not accepted. */
async function acceptsAtTerminal(part: EnginePart, signal: AbortSignal): Promise<boolean> {
  const { licenceNotice, title } = part;
  if (licenceNotice === null || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  if (versionOnHost(part.name) !== null) return false;
  process.stderr.write(`${licenceNotice}\n\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await terminal.question(`Accept the licence and install ${title}? [y/N] `, {
      signal,
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
