import Docker from 'dockerode';
import { defaultSandboxImage } from '../default-sandbox-image.ts';

/**
 * What the sandbox image on this daemon was built on: its layers are there, so that a build is quick.
 * Null without the image.
 */
export async function baseImageHere(): Promise<string | null> {
  const image = await new Docker()
    .getImage(defaultSandboxImage)
    .inspect()
    .catch(() => null);
  return image?.Config.Labels?.['switchyard.base-image'] ?? null;
}
