import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../admin/config/schema/config-schema.ts';
import { CONTINUATION_PROMPT } from '../prompt/default-prompt.ts';
import { newIssueRow } from '../../issues/tracker/issue-row.ts';
import { buildSpec } from './build-spec.ts';

const ISSUE = newIssueRow('local', {
  ...{ id: 'iss_1', identifier: 'SY-1', title: 'Add a page', description: null, priority: null },
  ...{ state: 'Todo', branchName: null, url: null, labels: [], assigneeId: null, blockedBy: [] },
  ...{ createdAtMs: 1, updatedAtMs: 1, nativeRef: null },
});

describe('the specification of an attempt', () => {
  const specOf = (changes: Partial<typeof ISSUE>, template = 'Do {{ issue.title }}') =>
    buildSpec({
      attemptId: 'att_1',
      number: 2,
      issue: { ...ISSUE, ...changes },
      route: { prefix: 'SY-', url: 'file:///srv/shop.git' },
      config: defaultConfig(),
      template,
      checkpoint: null,
    });

  it("has the issue's own model where it has one", async () => {
    const { model } = defaultConfig().engine;
    expect((await specOf({})).engine).toMatchObject({ model });
    const own = { model: 'big', reasoning_effort: 'high' };
    expect((await specOf(own)).engine).toMatchObject({ model: 'big', reasoningEffort: 'high' });
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
