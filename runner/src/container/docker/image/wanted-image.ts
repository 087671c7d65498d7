import { DEFAULT_ENGINE } from './engine-labels.ts';
import type { WantedImage } from './provide-image.ts';
import { defaultSandboxImage } from './default-sandbox-image.ts';

/**
 * The image that a runner needs: the product's own is built, a configured one is pulled and never
 * built.
 */
export function wantedImage(options: {
  image?: string | undefined;
  /** Base image; undefined: any. */
  baseImage?: string | undefined;
  /** Engines that the own image must have; undefined: any. */
  engines?: string[] | undefined;
}): WantedImage {
  const { image = defaultSandboxImage, baseImage, engines } = options;
  if (image !== defaultSandboxImage) return { source: 'pull', image };
  return {
    source: 'build',
    image,
    ...(baseImage === undefined ? {} : { baseImage }),
    ...(engines === undefined ? {} : { engines: [...new Set([DEFAULT_ENGINE, ...engines])] }),
  };
}
