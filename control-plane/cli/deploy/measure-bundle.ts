import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { runWrangler, type Wrangler } from './run-wrangler.ts';

/** Well below the platform's limit, since size determines start-up time. */
const MAX_GZIP_BYTES = 520 * 1024;

export type Bundle = { bytes: number; gzipBytes: number };

/** Builds the upload without a network. Throws when it exceeds the size limit. */
export async function measureBundle(
  stage: { wrangler: Wrangler; folder: string },
  flags: readonly string[],
): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bundle-'));
  try {
    await runWrangler(stage, ['deploy', '--dry-run', '--outdir', folder, ...flags]);
    const bundle = { bytes: 0, gzipBytes: 0 };
    for (const name of await readdir(folder)) {
      if (!/\.(js|mjs|wasm)$/.test(name)) continue;
      const bytes = await readFile(join(folder, name));
      bundle.bytes += bytes.byteLength;
      bundle.gzipBytes += gzipSync(bytes).byteLength;
    }
    if (bundle.gzipBytes > 0 && bundle.gzipBytes <= MAX_GZIP_BYTES) return bundle;
    throw new CommandError(
      `the Worker has ${bundle.gzipBytes} bytes after gzip; between 1 and ${MAX_GZIP_BYTES} are allowed`,
      EXIT.failed,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
