import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../support/e2e/service-client.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';

type Change = { method: string; path: string; body?: unknown; status: number; operation: string };

// In this order: later changes build on earlier ones. No runner is there, so nothing else happens.
const changes: Change[] = [
  {
    method: 'POST',
    path: '/setup/repo-route',
    body: { prefix: 'SY-', url: 'file:///nowhere/at-all.git' },
    status: 201,
    operation: 'repo-route.add',
  },
  {
    method: 'POST',
    path: '/local/issues',
    body: { title: 'One' },
    status: 201,
    operation: 'local_issue.create',
  },
  {
    method: 'PATCH',
    path: '/local/issues/SY-1',
    body: { priority: 1 },
    status: 200,
    operation: 'local_issue.update',
  },
  {
    method: 'POST',
    path: '/local/issues/SY-1/comments',
    body: { body: 'A word' },
    status: 201,
    operation: 'local_issue.comment',
  },
  { method: 'POST', path: '/SY-1/abort', status: 202, operation: 'issue.abort' },
  { method: 'POST', path: '/SY-1/retry', status: 202, operation: 'issue.retry' },
  { method: 'POST', path: '/refresh', status: 202, operation: 'service.refresh' },
  {
    method: 'POST',
    path: '/runners/tokens',
    body: {},
    status: 201,
    operation: 'runner.token.create',
  },
  {
    method: 'PATCH',
    path: '/config/overlay/agent.maxTurns',
    body: { value: 3 },
    status: 200,
    operation: 'config.patch',
  },
  { method: 'DELETE', path: '/setup/repo-route/0', status: 200, operation: 'repo-route.remove' },
];

describe('the record of changes', () => {
  let folder: string;
  let service: RunningService;
  let client: ServiceClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    // With a provider the issue could run, so that it waits for a runner.
    const config = { 'engine.provider.name': 'none', 'engine.provider.apiKey': 'unused' };
    service = await startService({ dataDir: join(folder, 'data'), args: ['--no-runner'], config });
    client = service.client;
  });
  afterAll(async () => {
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(changes)('has a row for $method $path', async (change) => {
    // A new issue waits for a runner once a round of dispatch has seen it.
    if (change.operation === 'issue.abort')
      await client.issueUntil('SY-1', ({ status }) => status === 'queued', 'waits');
    const id = `change-${change.operation}`;
    const answer = await client.send(`/api/v1${change.path}`, {
      method: change.method,
      headers: {
        'x-request-id': id,
        'x-service-source': 'CLI',
        ...(change.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(change.body === undefined ? {} : { body: JSON.stringify(change.body) }),
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(change.status);
    const rows = (await client.audit()).filter(({ requestId }) => requestId === id);
    expect(rows).toEqual([
      expect.objectContaining({ operation: change.operation, actor: 'local', source: 'CLI' }),
    ]);
  });
});
