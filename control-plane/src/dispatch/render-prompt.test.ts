import { describe, expect, it } from 'vitest';
import { CONTINUATION_PROMPT, DEFAULT_PROMPT } from './default-prompt.ts';
import { type PromptVariables, renderPrompt } from './render-prompt.ts';

const VARIABLES: PromptVariables = {
  issue: {
    id: 'iss_1',
    identifier: 'SY-1',
    title: 'Add a page',
    description: null,
    url: null,
    labels: [],
    state: 'Todo',
    priority: null,
  },
  attempt: { number: 2 },
  repo: { url: 'file:///srv/shop', default_branch: 'main' },
};
const withIssue = (changes: Partial<PromptVariables['issue']>): PromptVariables => ({
  ...VARIABLES,
  issue: { ...VARIABLES.issue, ...changes },
});

describe('a prompt template', () => {
  it('sees the issue, the attempt and the repository', async () => {
    const template =
      '{{ issue.identifier }} {{ attempt.number }} {{ repo.url }} {{ issue.state | upcase }}';
    expect(await renderPrompt(template, VARIABLES)).toBe('SY-1 2 file:///srv/shop TODO');
  });

  it.each([
    '{{ issue.titel }}',
    '{{ nobody }}',
    '{{ issue.title | shout }}',
    '{% if %}',
    '{{ issue.title',
  ])('is refused with what is wrong with it: %s', async (template) => {
    await expect(renderPrompt(template, VARIABLES)).rejects.toThrow(/./);
  });

  it('may ask whether something is there', async () => {
    const template = '{% if issue.description %}yes{% else %}no{% endif %}';
    expect(await renderPrompt(template, VARIABLES)).toBe('no');
    expect(await renderPrompt(template, withIssue({ description: 'words' }))).toBe('yes');
  });

  it('never takes the words of an issue for a template', async () => {
    const title = '{{ repo.url }} {% raw %} {% include "/etc/passwd" %}';
    expect(await renderPrompt('{{ issue.title }}', withIssue({ title }))).toBe(title);
  });

  it.each([
    '{% include "/etc/passwd" %}',
    '{% render "package.json" %}',
    '{% layout "package.json" %}',
  ])('reads no file: %s', async (template) => {
    const text = await renderPrompt(template, VARIABLES).catch(() => '');
    expect(text).toBe('');
  });

  it('reaches nothing but the data it is given', async () => {
    for (const path of ['issue.constructor', 'issue.__proto__', 'issue.labels.constructor']) {
      const text = await renderPrompt(`{{ ${path} }}`, VARIABLES).catch(() => 'refused');
      expect(text).toBe('refused');
    }
  });

  it('ends although it loops for very long', async () => {
    const template =
      '{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}';
    await expect(renderPrompt(template, VARIABLES)).rejects.toThrow(/limit/i);
  });
});

describe('the default prompt', () => {
  it('shows the issue and asks for a marker on the last line', async () => {
    const text = await renderPrompt(
      DEFAULT_PROMPT,
      withIssue({ description: 'Please add it', labels: ['ui', 'small'] }),
    );
    expect(text).toContain('SY-1');
    expect(text).toContain('Please add it');
    expect(text).toContain('ui, small');
    expect(text).toContain('SWITCHYARD_STATUS: DONE');
    expect(text).toContain('SWITCHYARD_STATUS: BLOCKED');
    expect(CONTINUATION_PROMPT).toContain('SWITCHYARD_STATUS: DONE');
  });

  it('renders an issue with neither description nor labels', async () => {
    expect(await renderPrompt(DEFAULT_PROMPT, VARIABLES)).toContain('no description');
  });
});
