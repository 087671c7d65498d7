import type { WantedImage } from './provide-image.ts';
import { DEFAULT_BASE_IMAGE } from './provide-image.ts';
import { defaultSandboxImage } from './sandbox-image.ts';

/** The image of a runner: ours is built, a configured one is pulled and never built. */
export function wantedImage(options: {
  image?: string | undefined;
  baseImage?: string | undefined;
}): WantedImage {
  const { image = defaultSandboxImage, baseImage = DEFAULT_BASE_IMAGE } = options;
  if (image !== defaultSandboxImage) return { source: 'pull', image };
  return { source: 'build', image, baseImage };
}
