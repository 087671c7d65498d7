import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Architecture } from './assemble-context.ts';

const run = promisify(execFile);
const ARCHIVE_TIMEOUT_MS = 300_000;
const Manifest = z.array(z.looseObject({ Config: z.string() })).length(1);
const Config = z.looseObject({ architecture: z.string() });

/**
 * Sets an image's architecture. Docker's own builder always writes the host's, so it is changed
 * afterwards; the content is already that of the target.
 */
export async function setArchitecture(image: string, architecture: Architecture): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-image-'));
  const limits = { timeout: ARCHIVE_TIMEOUT_MS };
  const [before, after] = [join(folder, 'before.tar'), join(folder, 'after.tar')];
  const files = join(folder, 'files');
  try {
    await run('docker', ['save', '--output', before, image], limits);
    await run('mkdir', [files], limits);
    await run('tar', ['-xf', before, '-C', files], limits);
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(files, 'manifest.json'), 'utf8')));
    const config = Config.parse(
      JSON.parse(readFileSync(join(files, manifest[0]?.Config ?? ''), 'utf8')),
    );
    writeFileSync(join(files, 'config.json'), JSON.stringify({ ...config, architecture }));
    const changed = manifest.map((entry) => ({ ...entry, Config: 'config.json' }));
    writeFileSync(join(files, 'manifest.json'), JSON.stringify(changed));
    // `index.json` and `oci-layout`, written by newer versions of Docker, name the former
    // configuration.
    for (const name of ['index.json', 'oci-layout']) rmSync(join(files, name), { force: true });
    await run('tar', ['-cf', after, '-C', files, '.'], limits);
    await run('docker', ['load', '--quiet', '--input', after], limits);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const format = ['image', 'inspect', '--format', '{{.Architecture}}', image];
  const { stdout } = await run('docker', format, limits);
  if (stdout.trim() !== architecture) {
    throw new Error(`${image} is marked as ${stdout.trim()}: build it with docker buildx instead`);
  }
}
