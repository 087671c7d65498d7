import { describe, expect, it } from 'vitest';
import { CONTINUATION_PROMPT, DEFAULT_PROMPT } from './default-prompt.ts';
import {
  promptVariables,
  type PromptVariables,
  SAMPLE_VARIABLES,
  TEMPLATE_VARIABLES,
} from './prompt-variables.ts';
import { renderTemplate } from './render-template.ts';
import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';

const ROUTE = { prefix: 'SY-', url: 'file:///srv/shop', default_branch: 'main' };
const ISSUE = {
  id: 'iss_1',
  identifier: 'SY-1',
  title: 'Add a page',
  description: null,
  url: null,
  labels: [],
  state: 'Todo',
  priority: null,
  branch_name: null,
  assignee_id: null,
  blocked_by: [{ id: 'iss_2', identifier: 'SY-2', state: 'Done', terminal: true }],
  created_at_ms: 0,
  updated_at_ms: 0,
  branch: 'switchyard/sy-1',
};
const variables = (
  changes: Partial<Pick<PromptVariables['issue'], 'title' | 'description' | 'labels'>> = {},
  number = 2,
): PromptVariables =>
  promptVariables({ issue: { ...ISSUE, ...changes }, number, workspaceKey: 'SY-1', route: ROUTE });

describe('a prompt template', () => {
  it('sees the issue, the attempt, the workspace and the repository', () => {
    const template =
      '{{ issue.identifier }} {{ attempt.number }} {{ repo.url }} {{ issue.state | upcase }} {{ workspace.branch }} {% for b in issue.blocked_by %}{{ b.identifier }}{% endfor %}';
    expect(renderTemplate(template, variables())).toBe(
      'SY-1 2 file:///srv/shop TODO switchyard/sy-1 SY-2',
    );
  });

  it('has no number of the attempt at first, and one later', () => {
    const template = '{% if attempt %}again: {{ attempt }}{% else %}first{% endif %}';
    expect(renderTemplate(template, variables({}, 1))).toBe('first');
    expect(renderTemplate(template, variables({}, 3))).toBe('again: 3');
  });

  it('may name every documented variable, and no other', () => {
    for (const { path, example } of TEMPLATE_VARIABLES) {
      expect(renderTemplate(`{{ ${path} | json }}`, SAMPLE_VARIABLES)).toBe(
        JSON.stringify(example),
      );
    }
    const documented = TEMPLATE_VARIABLES.map(({ path }) => path).toSorted();
    const real = Object.entries(variables()).flatMap(([group, values]) =>
      Object.keys(values).map((name) => `${group}.${name}`),
    );
    expect(real.toSorted()).toEqual(documented);
  });

  it.each([
    ['{{ issue.titel }}', 1],
    ['\n{{ nobody }}', 2],
    ['a\nb\n{{ issue.title | shout }}', 3],
    ['{% if %}', 1],
    ['{{ issue.title', 1],
  ])('is refused with the place and what is wrong there: %j', (template, line) => {
    expect(() => renderTemplate(template, variables())).toThrow(
      expect.objectContaining({ name: 'TemplateError', line, message: expect.stringMatching(/./) }),
    );
  });

  it('may ask whether something is there', () => {
    const template = '{% if issue.description %}yes{% else %}no{% endif %}';
    expect(renderTemplate(template, variables())).toBe('no');
    expect(renderTemplate(template, variables({ description: 'words' }))).toBe('yes');
  });

  it('never takes the words of an issue for a template', () => {
    const title = '{{ repo.url }} {% raw %} {% include "/etc/passwd" %}';
    expect(renderTemplate('{{ issue.title }}', variables({ title }))).toBe(title);
  });

  it.each([
    '{% include "/etc/passwd" %}',
    '{% render "package.json" %}',
    '{% layout "package.json" %}',
  ])('reads no file: %s', (template) => {
    expect(() => renderTemplate(template, variables())).toThrow(/Failed to lookup/);
  });

  it.each(['issue.constructor', 'issue.__proto__', 'issue.labels.constructor'])(
    'reaches nothing but the data it is given: %s',
    (path) => {
      expect(() => renderTemplate(`{{ ${path} }}`, variables())).toThrow(/undefined variable/);
    },
  );

  it.each([
    '{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}',
    '{% for a in (1..1000000000) %}{% endfor %}',
    '{% assign s = "ab" %}{% for i in (1..100) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
    '{% for a in (1..500000) %}x{% endfor %}',
  ])('ends soon although it wants too much: %s', (template) => {
    expect(() => renderTemplate(template, variables())).toThrow(/limit|more than/i);
  });
});

describe('the default prompt', () => {
  it('shows the issue and asks for a marker on the last line', () => {
    const issue = { description: 'Please add it', labels: ['ui', 'small'] };
    const text = renderTemplate(DEFAULT_PROMPT, variables(issue));
    expect(text).toContain('SY-1');
    expect(text).toContain('Please add it');
    expect(text).toContain('ui, small');
    expect(text).toContain('SWITCHYARD_STATUS: DONE');
    expect(text).toContain('SWITCHYARD_STATUS: BLOCKED');
    expect(CONTINUATION_PROMPT).toContain('SWITCHYARD_STATUS: DONE');
  });

  it('renders an issue with neither description nor labels', () => {
    expect(renderTemplate(DEFAULT_PROMPT, variables())).toContain('no description');
  });
});

describe('the key of a workspace', () => {
  it('is the identifier, or says that it was changed', () => {
    expect(workspaceKey('SY-1')).toBe('SY-1');
    expect(workspaceKey('a/b')).toBe('a_b--c14cddc033f64b9d');
  });
});
