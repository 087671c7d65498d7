import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../config/schema/config-schema.ts';
import { CONTINUATION_PROMPT } from '../../attempts/prompt/default-prompt.ts';
import { newIssueRow } from '../../ports/tracker/issue-row.ts';
import { engineChain } from '../../attempts/engine-choices/engine-chain.ts';
import { buildSpec } from './build-spec.ts';
import type { OfferFacts } from './collect-offer.ts';

const ISSUE = newIssueRow('local', {
  id: 'iss_1',
  identifier: 'SY-1',
  title: 'Add a page',
  description: null,
  priority: null,
  state: 'Todo',
  branchName: null,
  url: null,
  labels: [],
  assigneeId: null,
  blockedBy: [],
  createdAtMs: 1,
  updatedAtMs: 1,
  nativeRef: null,
});

describe('the specification of an attempt', () => {
  const specOf = async (
    changes: Partial<typeof ISSUE>,
    template = 'Do {{ issue.title }}',
    route: Partial<RepoRoute> = {},
    facts: Partial<Pick<OfferFacts, 'kind' | 'plan'>> = {},
  ) => {
    const issue = { ...ISSUE, ...changes };
    const place = { repository: null, automation: null };
    const choice = engineChain({ ...issue, ...place }, defaultConfig())?.[0];
    if (choice === undefined) throw new Error('no choice');
    return buildSpec(
      {
        waiting: null,
        choice,
        route: { prefix: 'SY-', url: 'file:///srv/shop.git', ...route },
        config: defaultConfig(),
      },
      {
        attemptId: 'att_1',
        number: 2,
        kind: 'work',
        plan: null,
        merge: null,
        review: null,
        ...facts,
        issue,
        parent: null,
        threadId: issue.thread_id,
        handOver: null,
        checkpoint: null,
        messages: [],
        feedback: '',
        workspaceKey: 'SY-1',
        branch: 'switchyard/sy-1',
        ownCommits: [],
        template,
        tools: [],
      },
    );
  };

  it("has the issue's own model where it has one", async () => {
    const { model } = defaultConfig().engine;
    expect((await specOf({})).engine).toMatchObject({ model });
    const own = { model: 'big', reasoning_effort: 'high' };
    expect((await specOf(own)).engine).toMatchObject({ model: 'big', reasoningEffort: 'high' });
  });

  it('lets servers of the repository run only where its route says so', async () => {
    expect(await specOf({})).not.toHaveProperty('repositoryServers');
    expect(await specOf({}, undefined, { repository_servers: false })).not.toHaveProperty(
      'repositoryServers',
    );
    const allowed = await specOf({}, undefined, { repository_servers: true });
    expect(allowed.repositoryServers).toBe(true);
  });

  it('has the checks of the repository, but where the agent only looks', async () => {
    const checks = [{ name: 'test', command: 'npm test' }];
    const spec = await specOf({}, undefined, { checks });
    expect(spec.checks).toEqual([{ name: 'test', command: 'npm test', timeoutMs: 600_000 }]);
    expect(spec.prompt).toContain('test:\n\n```text\nnpm test\n```');
    for (const none of [
      await specOf({}),
      await specOf({ read_only: true }, undefined, { checks }),
    ]) {
      expect(none).not.toHaveProperty('checks');
      expect(none.prompt).not.toContain('## Checks');
    }
  });

  it('tells a thread that goes on the template that was chosen for the issue', async () => {
    const usual = await specOf({ thread_id: 'thr_1' });
    expect(usual).toMatchObject({
      prompt: expect.stringMatching(/^Do Add a page\n\n## How to end\n[^]*SWITCHYARD_STATUS: DONE/),
      continuationPrompt: CONTINUATION_PROMPT,
    });
    const { continuationPrompt } = await specOf({ thread_id: 'thr_1', template_id: 'tpl_1' });
    expect(continuationPrompt).toContain(CONTINUATION_PROMPT);
    expect(continuationPrompt).toContain('Do Add a page');
  });

  it('is refused with the place where the template is wrong', async () => {
    await expect(specOf({}, '\n{{ issue.nope }}')).rejects.toMatchObject({
      name: 'TemplateError',
      line: 2,
    });
  });
});
