import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files that wrangler uploads, and its settings. */
const PARTS = ['wrangler.toml', 'worker', 'dashboard/dist'];

/**
 * Runs `work` with a copy of the Worker, the dashboard and their settings in a folder that wrangler
 * may write to, and removes it: an installed package is often read-only. `product` is the folder of
 * the package, or of a checkout's build.
 */
export async function withStagedWorker<T>(
  product: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-deploy-'));
  try {
    for (const part of PARTS) {
      await cp(join(product, part), join(folder, part), { recursive: true, dereference: true });
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
