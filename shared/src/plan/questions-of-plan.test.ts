import { describe, expect, it } from 'vitest';
import { isApproval } from './is-approval.ts';
import { questionsOfPlan } from './questions-of-plan.ts';

const PLAN = `## Steps
1. Read it.

## Questions
- Which *colour*
  has the button?
- May \`lib/\` change?

## Estimate
- Two files.
`;

describe('the questions of a plan', () => {
  it('are the list items below their heading, each on one line', () => {
    expect(questionsOfPlan(PLAN)).toEqual(['Which *colour* has the button?', 'May `lib/` change?']);
  });

  it.each([
    ['numbers', '### Open questions\n1. One?\n2) Two?', ['One?', 'Two?']],
    ['paragraphs', '# Questions:\n\nOne?\n\nTwo?\n', ['One?', 'Two?']],
    ['smaller headings', '## Questions\n### Colour\n- Red?\n## Risks\n- None', ['Red?']],
    ['no heading', 'Is this a question?', []],
    [
      'another language',
      '## Questions\n- どの色にしますか？\n- Какой цвет?',
      ['どの色にしますか？', 'Какой цвет?'],
    ],
    ['code in a list', '1. ```sh\n   npm test\n   ```\n\n## Questions\n- One?', ['One?']],
    ['another fence in code', '```\n~~~\n```\n## Questions\n- One?', ['One?']],
    ['a number', ' ## 4. Remaining questions\n- One?', ['One?']],
    ['bold type', '**Questions**\n- One?\n\n**Risks**\n- None', ['One?']],
    ['a heading in code', '```\n## Questions\n- One?\n```\n', []],
    ['None.', '## Questions\nNone.\n', []],
    ['no questions', '## Questions\n- No questions\n', []],
    ['nothing', '', []],
  ])('of a plan with %s', (_name, plan, expected) => {
    expect(questionsOfPlan(plan)).toEqual(expected);
  });

  it('are at most ten, and long ones are cut', () => {
    const many = Array.from({ length: 12 }, (_, at) => `- ${at}${'x'.repeat(3_000)}?`).join('\n');
    const found = questionsOfPlan(`## Questions\n${many}`);
    expect(found).toHaveLength(10);
    expect(Math.max(...found.map(({ length }) => length))).toBe(500);
  });
});

it.each([
  ['approve', true],
  ['/approve', true],
  [' Approved.\n', true],
  ['I approve of nothing here', false],
  ['approve, but rename it', false],
  ['', false],
])('%s approves a plan: %s', (text, expected) => {
  expect(isApproval(text)).toBe(expected);
});
