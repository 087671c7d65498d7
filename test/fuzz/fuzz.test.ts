import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentBytes } from '../support/e2e/resident-bytes.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { fuzzService } from './fuzz-service.ts';

const REQUESTS = 2_000;
const SEED = 20_261_121;
/** What caches and compiled code may take beyond the first half; a leak per request is far more. */
const MAX_GROWTH = 1.3;
const RUN_TIMEOUT_MS = 180_000;

describe('requests that nobody should send', () => {
  let folder: string;
  let service: RunningService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-fuzz-'));
    service = await startService({
      dataDir: folder,
      args: ['--no-runner'],
      config: { 'limits.apiPerMinute': 1_000_000, 'limits.webhooksPerMinute': 1_000_000 },
    });
  });
  afterAll(async () => {
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it('never break the service', { timeout: RUN_TIMEOUT_MS }, async () => {
    const { identifier } = await service.client.createIssue({ title: 'one', state: 'Backlog' });
    const known = [identifier, 'agent.maxTurns', 'default'];
    const half = { url: service.url, count: REQUESTS / 2, known };
    const first = await fuzzService({ ...half, seed: SEED });
    const warm = await residentBytes(service);
    const second = await fuzzService({ ...half, seed: SEED + 1 });
    const after = await residentBytes(service);
    expect(first.findings).toEqual([]);
    expect(second.findings).toEqual([]);
    expect(first.sent + second.sent).toBe(REQUESTS);
    // Otherwise the requests were all refused at the door and found nothing out.
    const good = Object.entries(second.byStatus).filter(([status]) => Number(status) < 300);
    expect(good.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 20);
    expect(after / warm).toBeLessThan(MAX_GROWTH);
    expect(await service.client.issue(identifier)).toMatchObject({ identifier });
  });
});
