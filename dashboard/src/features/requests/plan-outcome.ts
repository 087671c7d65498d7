import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { PLAN_DECISION } from '@switchyard/shared/plan/is-approval';
import { outcomeOfPlan, textOfPlan } from '@switchyard/shared/plan/outcome-of-plan';
import type { Tone } from '../../ui/marks/badge.tsx';

type PlanOutcome = { label: string; tone: Tone; line: string };

/** What became of a plan that waits no longer: a word, and one line. */
export function planOutcome({ answers }: Pick<HumanRequest, 'answers'>): PlanOutcome {
  switch (outcomeOfPlan(answers)) {
    case 'approved':
      return { label: 'Approved', tone: 'good', line: 'Plan approved' };
    case 'approved_as_edited':
      return { label: 'Approved', tone: 'good', line: 'Plan approved as edited' };
    case 'sent_back': {
      const text = answers?.[PLAN_DECISION]?.join('\n').trim();
      return { label: 'Sent back', tone: 'info', line: `Plan sent back: ${text}` };
    }
    case null:
      return { label: 'Not decided', tone: 'quiet', line: 'Plan not decided' };
  }
}

/** The text of a plan as it was decided. */
export function decidedText({ plan, answers }: Pick<HumanRequest, 'plan' | 'answers'>): string {
  return textOfPlan(plan?.text ?? '', answers);
}
