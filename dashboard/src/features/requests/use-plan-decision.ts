import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { EDITED_PLAN } from '@switchyard/shared/plan/is-approval';
import { outcomeOfPlan } from '@switchyard/shared/plan/outcome-of-plan';
import { useMemo, useState } from 'preact/hooks';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { planDecision, planFields } from './plan-decision.ts';
import { useAnswer } from './use-answer.ts';
import { useAnswerDrafts } from './use-answer-drafts.ts';

/** A step after which something that a person has written may be lost. */
export type PlanStep = 'approve' | 'send_back' | 'discard';

/**
 * What a person has written about a plan, and the steps that decide it. `take` takes a step, or asks
 * first (`asked`) where that loses something written.
 */
export function usePlanDecision(request: HumanRequest, planText: string) {
  const fields = useMemo(() => planFields(request), [request.questions]);
  const { drafts, change, forget } = useAnswerDrafts(request.requestId, fields);
  const [asked, setAsked] = useState<PlanStep | null>(null);
  const send = useAnswer(request, (answers) => {
    forget();
    showToast(sentText(answers));
  });
  const { approval, sendBack, isEdited, isCriticized } = planDecision(request, planText, drafts);
  const loses: Record<PlanStep, boolean> = {
    approve: isCriticized,
    send_back: isEdited,
    discard: isEdited,
  };
  const takeNow = (step: PlanStep) => {
    setAsked(null);
    if (step === 'discard') return change(EDITED_PLAN, null);
    const answers = step === 'approve' ? approval : sendBack;
    if (answers !== null) send.mutate(answers);
  };
  return {
    drafts,
    change,
    asked,
    cancel: () => setAsked(null),
    take: (step: PlanStep) => (loses[step] ? setAsked(step) : takeNow(step)),
    takeNow,
    isPending: send.isPending,
    error: send.error,
    canApprove: approval !== null && !send.isPending,
    canSendBack: sendBack !== null && !send.isPending,
  };
}

function sentText(answers: Record<string, string[]>): string {
  return outcomeOfPlan(answers) === 'sent_back'
    ? 'Plan sent back; the agent makes another one.'
    : 'Plan approved; the work begins.';
}
