import { DEFAULT_BASE_IMAGE, type WantedImage } from '../container/docker/image/provide-image.ts';
import type { RunOptions } from '../run-options.ts';

/**
 * Why this runner does not build on an image that a control plane names, in words; null: it does.
 * Only a runner's own operator says which images are used on its machine; a build pulls what it
 * stands on, so that a prefix, which lets images be used that are there, names none.
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
