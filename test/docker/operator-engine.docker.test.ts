import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { ownContainers } from '../support/e2e/own-containers.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

describe('an operator engine in Docker', () => {
  let bench: Bench;
  let runnerId = '';
  beforeAll(async () => {
    bench = await startBench({ script: byPrompt([], fixFailingTest()), sandbox: 'docker' });
    runnerId = (await bench.client.runners())[0]?.runnerId ?? '';
  });
  afterAll(() => bench?.close());

  const get = <T>(path: string) => bench.client.must<T>('GET', path);

  it('answers from a locked container without a key, and ends with its runner', async () => {
    const { identifier } = await bench.client.createIssue({ title: 'Repair it' });
    const issue = await bench.client.settled(identifier);
    const threadId = issue.attempts[0]?.threadId ?? '';
    const { thread } = await get<{ thread: { turns: unknown[] } }>(
      `/engine/threads/${threadId}?includeTurns=true`,
    );
    expect(JSON.stringify(thread.turns)).toContain('Repair it');
    const { models } = await get<{ models: { sources: string[] }[] }>('/models');
    expect(models.flatMap(({ sources }) => sources)).toContain('provider');
    const fork = await bench.client.must<{ thread: { id: string } }>(
      'POST',
      `/engine/threads/${threadId}/fork`,
    );
    expect(fork.thread.id).not.toBe(threadId);

    const [container, ...others] = await ownContainers({ runnerId });
    expect(others).toEqual([]);
    expect(container).toMatchObject({
      state: 'running',
      host: { NetworkMode: 'none', CapDrop: ['ALL'], ReadonlyRootfs: true },
    });
    expect(container?.user).not.toMatch(/^(0|root)?(:|$)/);
    expect(container?.environment.join()).not.toContain(bench.apiKey);
    expect(container?.mounts.filter((path) => path.includes('workspaces'))).toEqual([]);
    const home = join(bench.folder, 'data', 'runner', 'operator');
    expect(await filesWith(home, bench.apiKey)).toEqual([]);

    await bench.service.stop();
    expect(await ownContainers({ runnerId })).toEqual([]);
  });
});
