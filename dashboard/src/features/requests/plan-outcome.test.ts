import { describe, expect, it } from 'vitest';
import { decidedText, planOutcome } from './plan-outcome.ts';

describe('what became of a plan', () => {
  it.each<[answers: Record<string, string[]> | null, label: string, line: string]>([
    [{ plan: ['Approve'] }, 'Approved', 'Plan approved'],
    [{ plan: ['Approve'], edited_plan: ['1. Two.'] }, 'Approved', 'Plan approved as edited'],
    [{ plan: ['Two pages.'] }, 'Sent back', 'Plan sent back: Two pages.'],
    [null, 'Not decided', 'Plan not decided'],
  ])('is, for the answers %j, %s', (answers, label, line) => {
    expect(planOutcome({ answers })).toMatchObject({ label, line });
  });

  it('shows the plan as it was decided', () => {
    const plan = { text: '1. One.', isStale: false };
    expect(decidedText({ plan, answers: null })).toBe('1. One.');
    expect(decidedText({ plan, answers: { plan: ['No.'] } })).toBe('1. One.');
    const answers = { plan: ['Approve'], edited_plan: ['1. Two.'] };
    expect(decidedText({ plan, answers })).toBe('1. Two.');
  });
});
