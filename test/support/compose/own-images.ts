import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { repositoryRoot } from '../e2e/start-service.ts';

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 15 * 60_000;
const ASK_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 << 20;
const PREFIX = 'sy-install-';
const TAG = 'test';
/** Made by debootstrap where no image registry can be reached. */
const LOCAL_BASE = 'switchyard-debian:bookworm';

const Built = z.object({
  images: z.array(
    z.object({
      image: z.string(),
      platform: z.string(),
      runs: z.boolean(),
      binaries: z.int(),
      compressedBytes: z.int(),
    }),
  ),
});
export type BuiltImage = z.infer<typeof Built>['images'][number];

/** Builds images of this checkout, as `npm run images` does, with further flags. */
export async function buildOwnImages(...flags: string[]): Promise<BuiltImage[]> {
  const base = await run('docker', ['image', 'inspect', LOCAL_BASE], {
    timeout: ASK_TIMEOUT_MS,
  }).then(
    () => ['--base-image', LOCAL_BASE],
    () => [],
  );
  const script = join(repositoryRoot, 'control-plane/cli/images/build-images.ts');
  const words = [script, '--json', '--prefix', PREFIX, '--tag', TAG, ...base, ...flags];
  const { stdout } = await run(process.execPath, words, {
    timeout: BUILD_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return Built.parse(JSON.parse(stdout)).images;
}

/**
 * The images that this machine can run: those that `SWITCHYARD_IMAGES` and `SWITCHYARD_VERSION` name, as
 * for compose.yaml, else new ones of this checkout.
 */
export async function ownImages(): Promise<{ images: string; tag: string }> {
  const { SWITCHYARD_IMAGES: images, SWITCHYARD_VERSION: tag } = process.env;
  if (images !== undefined && tag !== undefined) return { images, tag };
  await buildOwnImages();
  return { images: PREFIX, tag: TAG };
}
