import type { Question } from '@switchyard/shared/api/work/question';
import { describe, expect, it } from 'vitest';
import { ownQuestions } from '@switchyard/shared/plan/outcome-of-plan';
import { planDecision, planFields } from './plan-decision.ts';

const PLAN = '## Steps\n1. Add the page.';
const question = (id: string): Question => ({
  id,
  header: '',
  question: '?',
  options: [],
  isSecret: false,
});
const request = {
  questions: [question('plan'), question('question_1'), question('question_2')],
  plan: { text: PLAN, isStale: false },
};
const decide = (drafts: Parameters<typeof planDecision>[2]) => planDecision(request, PLAN, drafts);
const typed = (text: string) => ({ choice: null, text });

describe('a decision about a plan', () => {
  it('has the questions that the plan asks, and keeps what is written about either', () => {
    expect(ownQuestions(request).map(({ id }) => id)).toEqual(['question_1', 'question_2']);
    expect(planFields(request).map(({ id }) => id)).toEqual([
      'plan',
      'question_1',
      'question_2',
      'edited_plan',
    ]);
  });

  it('approves, with the answers that are given and without what should be different', () => {
    expect(decide({}).approval).toEqual({ plan: ['Approve'] });
    const drafts = { plan: typed('Two.'), question_1: typed(' Blue '), question_2: typed(' ') };
    expect(decide(drafts).approval).toEqual({ plan: ['Approve'], question_1: ['Blue'] });
  });

  it('approves the plan as edited only where its text differs', () => {
    const edited = (text: string) => decide({ edited_plan: typed(text) }).approval;
    expect(edited(PLAN)).toEqual({ plan: ['Approve'] });
    expect(edited(`${PLAN.replaceAll('\n', '\r\n')}\n`)).toEqual({ plan: ['Approve'] });
    expect(edited('1. Add two.')).toEqual({ plan: ['Approve'], edited_plan: ['1. Add two.'] });
    expect(decide({ edited_plan: typed(PLAN) }).isEdited).toBe(false);
    expect(decide({ edited_plan: typed('1. Add two.') }).isEdited).toBe(true);
  });

  it('approves no empty plan', () => {
    expect(decide({ edited_plan: typed(' \n') }).approval).toBeNull();
  });

  it('sends back with what is written, without edits', () => {
    const drafts = { plan: typed(' Two. '), question_1: typed('Blue'), edited_plan: typed('x') };
    expect(decide(drafts).sendBack).toEqual({ plan: ['Two.'], question_1: ['Blue'] });
  });

  it.each(['', ' ', 'Approve', '/approve', ' approved. '])('sends nothing back for %j', (text) => {
    expect(decide({ plan: typed(text) }).sendBack).toBeNull();
  });
});
