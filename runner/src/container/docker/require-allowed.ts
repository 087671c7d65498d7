import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Mount } from '../container-engine.ts';

/** Whether a list of names, or of prefixes that end in `*`, contains an image. */
export function isAllowedImage(image: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) =>
    entry.endsWith('*') ? image.startsWith(entry.slice(0, -1)) : entry === image,
  );
}

/** Throws unless this host's operator allows the image. */
export function requireAllowedImage(image: string, allowed: readonly string[]): void {
  if (isAllowedImage(image, allowed)) return;
  throw new Error(
    `image ${image} is not allowed on this runner; its operator may add --allow-image ${image}`,
  );
}

/** Throws unless every mount is below one of the folders, with links resolved. */
export async function requireAllowedMounts(
  mounts: readonly Mount[],
  roots: readonly string[],
): Promise<void> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  for (const { hostPath } of mounts) {
    const path = await realpath(hostPath);
    const inside = real.some((root) => {
      const below = relative(root, path);
      return below !== '' && below !== '..' && !below.startsWith(`..${sep}`);
    });
    if (!inside)
      throw new Error(`mount ${hostPath} is not allowed: it lies outside this runner's folder`);
  }
}
