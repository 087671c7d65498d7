import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceList } from '@switchyard/shared/api/workspace';
import { afterEach, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, slow } from '../support/scripted-model/scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';
import { type FakeLinear, startFakeLinear } from '../support/linear/fake-linear.ts';

const POLL_MS = 1_000;
const SCRIPT = byPrompt([{ match: 'case:slow', script: slow() }], fixFailingTest());

let bench: Bench;
let linear: FakeLinear | null = null;
afterEach(async () => {
  await bench?.close();
  await linear?.close();
  linear = null;
});

/** Answers of runners are shown again for some seconds: a new workspace comes with the next. */
async function workspaceOf(identifier: string): Promise<string> {
  const list = () => bench.client.must<WorkspaceList>('GET', '/workspaces');
  const find = async () => (await list()).workspaces.find(({ issue }) => issue === identifier);
  const options = { what: `workspace of ${identifier}`, timeoutMs: 30_000 };
  return (await until(find, (found) => found !== undefined, options))?.path ?? '';
}

/** A removal is looked for every 10 s; a slow machine needs longer for it. */
const gone = (path: string) =>
  until(
    () => Promise.resolve(existsSync(path)),
    (there) => !there,
    { what: `${path} gone`, timeoutMs: 60_000 },
  );

describe('when the tracker says that an issue has ended', () => {
  it('its workspace goes after its work has stopped; that of a resting one stays', async () => {
    bench = await startBench({ script: SCRIPT, config: { 'polling.intervalMs': POLL_MS } });
    const { client, folder } = bench;
    const seen = join(folder, 'seen');
    const value = `pwd >> ${seen}`;
    await client.must('PATCH', '/config/overlay/hooks.beforeRemove', { value });
    const merged = (await client.createIssue({ title: 'Repair it' })).identifier;
    const rests = (await client.createIssue({ title: 'case:slow and set aside' })).identifier;
    await client.commandRunning(rests);
    const kept = await workspaceOf(rests);
    await client.must('PATCH', `/local/issues/${rests}`, { state: 'Backlog' });
    await client.issueUntil(rests, ({ attempts }) => attempts[0]?.outcome === 'cancelled', 'stops');
    await client.issueUntil(merged, ({ state }) => state === 'In Review', 'is in review');

    const ended = (await client.createIssue({ title: 'case:slow and called off' })).identifier;
    await client.commandRunning(ended);
    const paths = [await workspaceOf(merged), await workspaceOf(ended)];
    const { id } = await client.pullRequestOf(merged);
    await client.must('POST', `/local/pull-requests/${id}/merge`);
    await client.must('PATCH', `/local/issues/${ended}`, { state: 'Canceled' });
    for (const path of paths) await gone(path);
    const [attempt] = (await client.issue(ended)).attempts;
    expect(attempt).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    expect((await client.issue(merged)).state).toBe('Done');
    expect((await readFile(seen, 'utf8')).trim().split('\n').toSorted()).toEqual(paths.toSorted());
    expect(existsSync(kept)).toBe(true);
    expect(await workspaceOf(rests)).toBe(kept);
    const removals = async () =>
      (await client.audit()).filter(({ operation }) => operation === 'workspace.remove');
    const rows = await until(removals, ({ length }) => length === 2, {
      what: 'two audit rows',
      timeoutMs: 20_000,
    });
    expect(rows.map(({ actor }) => actor)).toEqual(['service', 'service']);
  });

  it('and when it says nothing any more, everything stays and runs on', async () => {
    linear = await startFakeLinear();
    bench = await startBench({
      script: SCRIPT,
      config: {
        'tracker.kind': 'linear',
        'tracker.linear.endpoint': linear.endpoint,
        'tracker.linear.apiKey': linear.apiKey,
        'polling.intervalMs': POLL_MS,
      },
    });
    const { client, repository, service } = bench;
    await client.must('POST', '/setup/repo-route', { prefix: 'ENG-', url: repository.url });
    const { world } = linear;
    const stateId = world.stateNamed('Todo').id;
    const written = world.add({ title: 'case:slow', description: '', stateId }, world.ada);
    const identifier = world.identifier(written);
    const indexed = () => client.ask('GET', `/api/v1/${identifier}`);
    const options = { what: 'the issue in the index', timeoutMs: 30_000 };
    await until(indexed, ({ status }) => status === 200, options);
    await client.commandRunning(identifier);
    const path = await workspaceOf(identifier);
    await linear.close();
    linear = null;
    const failures = () =>
      Promise.resolve(service.output().split('tracker poll failed').length - 1);
    await until(failures, (count) => count >= 3, { what: 'three failed polls', timeoutMs: 60_000 });
    expect(await client.issue(identifier)).toMatchObject({ status: 'running', phase: 'streaming' });
    expect(existsSync(path)).toBe(true);
  });
});
