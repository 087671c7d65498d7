import { join, posix } from 'node:path';
import * as z from 'zod';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { enginePart } from '../../../engine/parts/engine-parts.ts';
import { imageFolder } from '../../../engine/parts/image-program.ts';
import { placePart } from '../../../engine/parts/place-part.ts';
import { type FetchOptions, fetchPackage } from '../../../engine/parts/fetch-package.ts';
import { unpackPackage } from '../../../engine/parts/unpack-package.ts';
import { licencesText } from './engine-labels.ts';
import { sandboxFolder } from './default-sandbox-image.ts';

const Pin = z.object({
  package: z.string(),
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]+=*$/),
});
type Pin = z.infer<typeof Pin>;
const PinPair = z.object({ x64: Pin, arm64: Pin });
const Pins = z.object({ node: PinPair, npm: z.object({ any: Pin }) });

/** Processor of the Docker daemon as the package registry names it. */
export type SandboxArchitecture = 'x64' | 'arm64';

/** A package of the image, with its folder below /opt/switchyard. */
type Part = { folder: string; pin: Pin; strip: number; member: string; leaveOut: string[] };

async function parts(architecture: SandboxArchitecture): Promise<Part[]> {
  const pins = Pins.parse(JSON.parse(await readFile(join(sandboxFolder, 'pins.json'), 'utf8')));
  return [
    {
      folder: 'node',
      pin: pins.node[architecture],
      strip: 1,
      member: 'package/bin/node',
      leaveOut: [],
    },
    {
      folder: 'npm',
      pin: pins.npm.any,
      strip: 1,
      member: 'package',
      leaveOut: ['package/docs', 'package/man'],
    },
  ];
}

/**
 * Puts Node, npm and the engines for `architecture` into `destination`: `tools/` with a folder for
 * each, `engines/` with the engines other than the default one. Packages are fetched with `npm
 * pack`, verified and cached in `cacheFolder` by content. Throws when a package cannot be fetched
 * or is not the pinned one, or when an engine has no build.
 */
export async function collectPackages({
  architecture,
  engines,
  destination,
  ...fetching
}: FetchOptions & {
  architecture: SandboxArchitecture;
  engines: readonly string[];
  destination: string;
}): Promise<void> {
  const { signal } = fetching;
  const unreadable: string[] = [];
  for (const { folder, pin, ...what } of await parts(architecture)) {
    const archive = await fetchPackage(pin, fetching);
    const how = { ...what, ...(signal === undefined ? {} : { signal }) };
    await unpackPackage(archive, join(destination, 'tools', folder), how);
  }
  const platform = `linux-${architecture}`;
  await mkdir(join(destination, 'engines'), { recursive: true });
  for (const name of engines) {
    const part = enginePart(name);
    if (part === null) continue;
    const folder = imageFolder(name);
    // The Dockerfile copies both folders to their place in the image.
    const place = folder.startsWith('engines/') ? folder : join('tools', folder);
    await placePart(part, platform, join(destination, place), fetching);
    const programs = part.unreadable[platform] ?? [];
    unreadable.push(...programs.map((program) => posix.join(folder, program)));
  }
  await writeFile(join(destination, 'engines', 'LICENCES.txt'), licencesText(engines, platform));
  await writeFile(join(destination, 'unreadable'), unreadable.map((path) => `${path}\n`).join(''));
}
