import { DEFAULT_ENGINE } from './engine-labels.ts';
import type { WantedImage } from './provide-image.ts';
import { defaultSandboxImage } from './default-sandbox-image.ts';

/** The image of a runner: ours is built, a configured one is pulled and never built. */
export function wantedImage(options: {
  image?: string | undefined;
  /** Undefined: whatever it stands on. */
  baseImage?: string | undefined;
  /** Engines that our own has to have; undefined: whatever it has. */
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
