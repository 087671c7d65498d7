import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EngineMissing } from './engine-missing.ts';
import type { EnginePart } from './engine-parts.ts';
import { hostPlatform, partFolder } from './host-problem.ts';
import { placePart } from './place-part.ts';

export type InstallOptions = {
  progress: (line: string) => void;
  /** A person accepted the part's licence notice. */
  acceptsLicence: boolean;
  signal?: AbortSignal;
  env?: NodeJS.ProcessEnv;
};

/** The part's licence was not accepted, so nothing was installed. */
export class LicenceNotAccepted extends EngineMissing {}

/**
 * Installs an engine on this host, for agents that run as plain processes; does nothing when it is
 * there. Whoever finds the folder finds it whole. Throws `EngineMissing` where there is no build for
 * this platform, `LicenceNotAccepted`, or as `fetchPackage` does.
 */
export async function installPart(part: EnginePart, options: InstallOptions): Promise<string> {
  const { progress, signal, env = process.env } = options;
  const folder = partFolder(part, env);
  if (existsSync(join(folder, part.program))) {
    progress(`${part.name} ${part.version} is installed in ${folder}`);
    return folder;
  }
  if (part.platforms[hostPlatform()] === undefined) throw new EngineMissing(noBuild(part));
  if (part.licenceNotice !== null && !options.acceptsLicence) {
    throw new LicenceNotAccepted(
      `${part.licenceNotice}\n\n${part.title} was not installed: its licence has to be accepted (--accept-licence).`,
    );
  }
  progress(`installing ${part.title} ${part.version}, about ${part.sizeMiB} MiB`);
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    const cacheFolder = join(unfinished, '.archives');
    const how = { cacheFolder, progress, ...(signal === undefined ? {} : { signal }) };
    await placePart(part, hostPlatform(), unfinished, how);
    await rm(cacheFolder, { recursive: true, force: true });
    // Published files without a secret: agents of another user may run them, for example in a container.
    await chmod(unfinished, 0o755);
    await moveInto(unfinished, folder, part);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  progress(`${part.name} ${part.version} is installed in ${folder}`);
  return folder;
}

/** Another process may have been faster; then its copy stays. */
async function moveInto(unfinished: string, folder: string, part: EnginePart): Promise<void> {
  try {
    await rename(unfinished, folder);
  } catch (error) {
    if (existsSync(join(folder, part.program))) return;
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder).catch(() => {
      throw error;
    });
  }
}

function noBuild({ name, version, platforms }: EnginePart): string {
  return (
    `The agent engine ${name} ${version} has no build for ${hostPlatform()}, only for ` +
    `${Object.keys(platforms).join(', ')}; run its agents on another machine.`
  );
}
