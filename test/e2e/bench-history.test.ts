import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seedHistory } from '../bench/api-history.ts';
import { startService } from '../bench/started-service.ts';

it('a service starts on the history that the bench has made in the same process', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await seedHistory(dataDir, { issues: 2, attempts: 20, events: 200 });
  const service = await startService({ dataDir, flags: ['--no-runner'] });
  onTestFinished(() => service.stop());
  expect(await service.residentBytes()).toBeGreaterThan(0);
});
