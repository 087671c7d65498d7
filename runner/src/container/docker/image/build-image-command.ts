import Docker from 'dockerode';
import { daemonAddress } from '../daemon/docker-call.ts';
import { requireAcceptance } from './engine-labels.ts';
import { stepText } from './image-step.ts';
import { provideImage } from './provide-image.ts';
import { defaultSandboxImage } from './default-sandbox-image.ts';

/** Flags of the command that builds the image. */
export type BuildImageFlags = {
  /** Name of the image. */
  tag?: string;
  baseImage: string;
  buildImage?: string;
  cacheDir?: string;
  force: boolean;
  /** Engines of the image; left out: the default one. */
  engine?: string[];
  acceptLicence?: boolean;
  json?: boolean;
};

/**
 * Builds the sandbox image by hand with the full output, and resolves with its name. Rejects as
 * `provideImage` does, and with `LicenceNotAccepted`.
 */
export async function buildImageCommand(
  flags: BuildImageFlags,
  { signal, print }: { signal: AbortSignal; print: (line: string) => void },
): Promise<string> {
  const { tag = defaultSandboxImage, baseImage, buildImage, cacheDir, force, engine } = flags;
  requireAcceptance(engine ?? [], flags);
  const docker = new Docker();
  print(`daemon ${daemonAddress(docker)}`);
  await provideImage(
    docker,
    {
      source: 'build',
      image: tag,
      baseImage,
      force,
      ...(buildImage === undefined ? {} : { buildImage }),
      ...(engine === undefined ? {} : { engines: engine }),
    },
    {
      signal,
      progress: (step) => print(stepText(step)),
      ...(cacheDir === undefined ? {} : { cacheFolder: cacheDir }),
    },
  );
  return tag;
}
