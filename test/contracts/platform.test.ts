import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../support/e2e/start-service.ts';
import { describePlatform, type Platform, PLATFORM_SETTINGS } from './describe-platform.ts';

async function startNode(): Promise<Platform> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-platform-'));
  const service = await startService({
    dataDir: folder,
    args: ['--no-runner'],
    env: PLATFORM_SETTINGS,
  });
  return {
    client: service.client,
    // One process keeps its memory until it ends.
    forget: async () => {},
    async close() {
      await service.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

describePlatform('node', startNode, { keepsMemory: true });
