import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { EDITED_PLAN, isApproval, PLAN_DECISION } from '@switchyard/shared/plan/is-approval';
import type { Tone } from '../../ui/marks/badge.tsx';

type PlanOutcome = { label: string; tone: Tone; line: string };

/** What became of a plan that waits no longer: a word, and one line. */
export function planOutcome({ answers }: Pick<HumanRequest, 'answers'>): PlanOutcome {
  const decision = answers?.[PLAN_DECISION]?.join('\n').trim() ?? '';
  if (decision === '') return { label: 'Not decided', tone: 'quiet', line: 'Plan not decided' };
  if (!isApproval(decision))
    return { label: 'Sent back', tone: 'info', line: `Plan sent back: ${decision}` };
  const line = answers?.[EDITED_PLAN] === undefined ? 'Plan approved' : 'Plan approved as edited';
  return { label: 'Approved', tone: 'good', line };
}

/** The text of a plan as it was decided: as a person edited it, else as the agent wrote it. */
export function decidedText({ plan, answers }: Pick<HumanRequest, 'plan' | 'answers'>): string {
  return answers?.[EDITED_PLAN]?.join('\n') ?? plan?.text ?? '';
}
