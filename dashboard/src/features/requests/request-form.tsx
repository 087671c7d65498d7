import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { AnswerForm } from './answer-form.tsx';
import { PlanForm } from './plan-form.tsx';

/** The form with which a person answers an agent's questions, or decides its plan. */
export function RequestForm({ request }: { request: HumanRequest }) {
  const { plan } = request;
  return plan === null ? (
    <AnswerForm request={request} />
  ) : (
    <PlanForm request={request} plan={plan} />
  );
}
