import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { fuzzService } from './fuzz-service.ts';

const REQUESTS = 2_000;
const SEED = 20_261_121;
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
    const { sent, findings, byStatus } = await fuzzService({
      url: service.url,
      count: REQUESTS,
      known,
      seed: SEED,
    });
    expect(findings).toEqual([]);
    expect(sent).toBe(REQUESTS);
    // Otherwise the requests were all refused at the door and found nothing out.
    const good = Object.entries(byStatus).filter(([status]) => Number(status) < 300);
    expect(good.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 10);
    expect(await service.client.issue(identifier)).toMatchObject({ identifier });
  });
});
