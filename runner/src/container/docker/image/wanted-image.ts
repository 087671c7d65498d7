import { DEFAULT_ENGINE } from './engine-labels.ts';
import type { WantedImage } from './provide-image.ts';
import { DEFAULT_BASE_IMAGE } from './provide-image.ts';
import { defaultSandboxImage } from './sandbox-image.ts';

/** The image of a runner: ours is built, a configured one is pulled and never built. */
export function wantedImage(options: {
  image?: string | undefined;
  baseImage?: string | undefined;
  /** Engines that our own has to have; undefined: whatever it has. */
  engines?: string[] | undefined;
}): WantedImage {
  const { image = defaultSandboxImage, baseImage = DEFAULT_BASE_IMAGE, engines } = options;
  if (image !== defaultSandboxImage) return { source: 'pull', image };
  if (engines === undefined) return { source: 'build', image, baseImage };
  return { source: 'build', image, baseImage, engines: [...new Set([DEFAULT_ENGINE, ...engines])] };
}
