import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StandInDaemon } from '../../../testing/stand-in-daemon.ts';
import { engineLabels } from './engine-labels.ts';
import { provideImage } from './provide-image.ts';

const IMAGE = 'switchyard-sandbox:1';

describe('an image that cannot be built', () => {
  let daemon: StandInDaemon;
  let cacheFolder: string;
  beforeEach(async () => {
    daemon = await StandInDaemon.make();
    cacheFolder = await mkdtemp(join(tmpdir(), 'swy-provide-'));
    await daemon.up();
  });
  afterEach(async () => {
    await daemon.dispose();
    await rm(cacheFolder, { recursive: true, force: true });
  });

  it('names the base that was tried, also the one that the image stood on before', async () => {
    const labels = { 'switchyard.base-image': 'team/debian:12', ...engineLabels(['codex']) };
    daemon.images.set(IMAGE, { labels });
    daemon.trouble = 'manifest unknown';
    const wanted = { source: 'build', image: IMAGE, engines: ['codex', 'opencode'] } as const;
    const options = { signal: new AbortController().signal, progress: () => {}, cacheFolder };
    await expect(provideImage(daemon.docker, wanted, options)).rejects.toThrow(
      'There is no such image: check the name team/debian:12',
    );
    daemon.images.clear();
    await expect(provideImage(daemon.docker, wanted, options)).rejects.toThrow(
      'check the name debian:bookworm-slim',
    );
  });
});
