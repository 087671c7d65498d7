import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitContext } from '@switchyard/shared/api/work/git-context';
import type { TransitionList } from '@switchyard/shared/api/work/transition';
import type { WorkspaceList } from '@switchyard/shared/api/workspace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

const WORDS = 'Please call it "steered.txt" instead.';
const TEMPLATE = 'TEMPLATE-OF-MY-OWN for {{ issue.title }} in {{ workspace.key }}, {{ repo.url }}';

/** Works until the test lets it go and has been heard; a slow machine only makes it look again. */
const waitsForWords: ReadyScript = ({ stepIndex, userTexts }) => {
  const heard = stepIndex > 0 && userTexts.join('\n').includes(WORDS);
  if (heard) return say('I heard.\n\nSWITCHYARD_STATUS: DONE');
  if (stepIndex > 10) return say('Nobody spoke.\n\nSWITCHYARD_STATUS: BLOCKED');
  return exec('until [ -e .git/go ]; do sleep 0.05; done; echo 1 > work.txt');
};

describe('what a person chooses and says for one issue', () => {
  let bench: Bench;
  let identifier = '';
  beforeAll(async () => {
    bench = await startBench({ script: waitsForWords, slots: 1 });
  });
  afterAll(() => bench?.close());

  const workspaces = () => bench.client.must<WorkspaceList>('GET', '/workspaces');

  it('works by its own template and model, and hears what is said in the middle of a turn', async () => {
    const { client, provider } = bench;
    await client.must('POST', '/pause', { reason: 'preparing' });
    ({ identifier } = await client.createIssue({ title: 'Make a file' }));
    const path = `/api/v1/${identifier}`;
    const steer = { message: WORDS };
    expect((await client.ask('POST', `${path}/steer`, steer)).status).toBe(409);
    const template = await client.must<{ id: string }>('POST', '/templates', {
      name: 'Mine',
      body: TEMPLATE,
    });
    const own = { model: 'model-of-my-own', reasoning_effort: 'low' };
    expect(await client.ask('POST', `${path}/model`, own)).toMatchObject({
      status: 202,
      body: { ok: true, model: own.model, reasoningEffort: 'low', appliesNextAttempt: true },
    });
    expect(
      await client.ask('POST', `${path}/template`, { template_id: template.id }),
    ).toMatchObject({ status: 202, body: { templateId: template.id, appliesNextAttempt: true } });
    expect((await client.ask('DELETE', `/api/v1/templates/${template.id}`)).status).toBe(409);
    await client.must('POST', '/resume');
    await client.commandRunning(identifier);
    expect(await client.issue(identifier)).toMatchObject({
      phase: 'streaming',
      startedAt: expect.stringMatching(/^20/),
    });
    expect(await client.ask('POST', `${path}/steer`, steer)).toMatchObject({
      status: 202,
      body: { ok: true, delivered: true },
    });
    const [workspace] = (await workspaces()).workspaces;
    expect(workspace).toMatchObject({ key: identifier, issue: identifier, status: 'in_use' });
    expect((await client.ask('DELETE', `/api/v1/workspaces/${identifier}`)).status).toBe(409);
    await writeFile(join(workspace?.path ?? '', '.git', 'go'), '');

    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'completed', model: own.model, phase: null });
    expect(issue.attempts).toMatchObject([{ model: own.model, reasoningEffort: 'low' }]);
    const prompts = provider.requests.map(({ userTexts }) => userTexts.join('\n'));
    const wanted = `TEMPLATE-OF-MY-OWN for Make a file in ${identifier}, ${bench.repository.url}`;
    expect(prompts.every((prompt) => prompt.includes(wanted))).toBe(true);
    expect(provider.requests.map(({ model }) => model)).toContain(own.model);
    expect((await client.ask('POST', `${path}/steer`, steer)).status).toBe(409);
    const rows = (await client.audit()).filter(({ subject }) => subject === identifier);
    expect(rows.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['issue.model.set', 'issue.template.set', 'issue.steer']),
    );
    expect(await client.ask('DELETE', `${path}/template`)).toMatchObject({
      body: { templateId: null },
    });
    expect((await client.ask('DELETE', `/api/v1/templates/${template.id}`)).status).toBe(204);
  });

  it('moves the issue and tells who moved it before', async () => {
    const { client } = bench;
    const path = `/api/v1/${identifier}/transition`;
    expect((await client.ask('POST', path, { to: 'Nowhere' })).status).toBe(422);
    await client.issueUntil(identifier, ({ state }) => state === 'In Review', 'is in review');
    const move = { target_state: 'backlog', reason: 'not now' };
    expect(await client.ask('POST', path, move)).toMatchObject({
      status: 200,
      body: { ok: true, from: 'In Review', to: 'Backlog' },
    });
    const query = `/transitions?issue=${identifier}`;
    const { transitions, log, total } = await client.must<TransitionList>('GET', query);
    expect(transitions[identifier]).toContain('Done');
    expect(total).toBe(3);
    expect(log).toMatchObject([
      { from: 'In Review', to: 'Backlog', actor: 'local', reason: 'not now' },
      { from: 'In Progress', to: 'In Review', actor: 'service', reason: 'ready for review' },
      { from: 'Todo', to: 'In Progress', actor: 'service', reason: 'work started' },
    ]);
    expect((await client.issue(identifier)).state).toBe('Backlog');
  });

  it('shows branches as a runner sees them', async () => {
    const context = await bench.client.must<GitContext>('GET', '/git/context');
    const repository = bench.repository.url;
    expect(context).toMatchObject({
      reason: null,
      remotes: [{ name: 'origin', url: repository }],
      routes: [{ prefix: 'SY-', url: repository, head: 'main', reason: null }],
    });
    const { branch } = await bench.client.pullRequestOf(identifier);
    expect(context.branches).toEqual(
      expect.arrayContaining([
        { name: 'main', repository, isDefault: true },
        { name: branch, repository, isDefault: false },
      ]),
    );
  });

  it('removes a workspace after its script ran in it', async () => {
    const { client, folder } = bench;
    const seen = join(folder, 'seen');
    const value = `cat work.txt > ${seen}`;
    await client.must('PATCH', '/config/overlay/hooks.beforeRemove', { value });
    const [workspace] = (await workspaces()).workspaces;
    expect(workspace?.diskBytes).toBeGreaterThan(1_000);
    const path = `/api/v1/workspaces/${identifier}`;
    expect((await client.ask('DELETE', `${path}?runner=run_none`)).status).toBe(404);
    expect((await client.ask('DELETE', path)).status).toBe(204);
    expect(await readFile(seen, 'utf8')).toBe('1\n');
    expect(existsSync(workspace?.path ?? '/')).toBe(false);
    expect(await workspaces()).toMatchObject({ workspaces: [], total: 0 });
    expect((await client.ask('DELETE', path)).status).toBe(404);
  });
});
