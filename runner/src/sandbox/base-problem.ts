import { DEFAULT_BASE_IMAGE, type WantedImage } from '../container/docker/image/provide-image.ts';
import type { RunOptions } from '../run-options.ts';

/**
 * Why this runner refuses to build on the base image that a control plane names, for people; null
 * when it accepts. A build pulls its base, so that must be the default one, or the operator must
 * have named it exactly (a prefix in `allowImages` does not count) or allowed any with
 * `anyBaseImage`. A runner that pulls its image refuses every base.
 */
export function baseProblem(
  baseImage: string,
  options: Pick<RunOptions, 'baseImage' | 'allowImages' | 'anyBaseImage'>,
  wanted: WantedImage,
): string | null {
  if (wanted.source === 'pull') {
    return `this runner pulls its sandbox image ${wanted.image} and builds none; start it without --image to have one built`;
  }
  const named = [DEFAULT_BASE_IMAGE, options.baseImage ?? '', ...(options.allowImages ?? [])];
  if (options.anyBaseImage === true || named.includes(baseImage)) return null;
  return `this runner builds on no image that its operator did not name; start it with --base-image ${baseImage} or --allow-image ${baseImage}`;
}
