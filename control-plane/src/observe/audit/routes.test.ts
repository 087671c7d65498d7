import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigApp } from '../../../../test/support/config-app.ts';
import type { ConfigApp } from '../../../../test/support/config-app.ts';

describe('GET /api/v1/audit', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    fixture = await createConfigApp();
    for (const value of [1, 2, 3]) {
      await fixture.call('PATCH', '/api/v1/config/overlay/agent.maxTurns', { value });
    }
  });
  afterEach(() => fixture.close());

  it('pages through entries, newest first', async () => {
    const { body } = await fixture.call('GET', '/api/v1/audit?limit=2&offset=1');
    expect(body).toMatchObject({ total: 3, entries: [{ entry: 2 }, { entry: 1 }] });
    expect(body['entries']).toMatchObject([
      {
        operation: 'config.patch',
        path: '/api/v1/config/overlay/agent.maxTurns',
        timestamp: '2026-01-02T03:04:05.000Z',
        source: 'API',
        actor: 'local',
        subject: 'agent.maxTurns',
        requestId: expect.any(String),
      },
      {},
    ]);
  });

  it('accepts a limit up to 1000 and refuses the rest', async () => {
    expect((await fixture.call('GET', '/api/v1/audit?limit=1000')).status).toBe(200);
    for (const query of ['limit=1001', 'limit=0', 'limit=x', 'offset=-1', 'offset=1.5', 'limit=']) {
      expect((await fixture.call('GET', `/api/v1/audit?${query}`)).status).toBe(400);
    }
  });
});
