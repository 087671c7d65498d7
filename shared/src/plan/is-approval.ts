/** Characters of a plan that are kept; also the longest answer that a request takes. */
export const MAX_PLAN_CHARS = 20_000;

/** Characters of all that a person says about a plan, its edited text apart. */
export const MAX_REPLY_CHARS = 12_000;

/** Id of the question that decides a plan; answered with `APPROVE` or with what should change. */
export const PLAN_DECISION = 'plan';
/** Id under which a person hands in the plan as edited, together with the approval. */
export const EDITED_PLAN = 'edited_plan';

export const APPROVE = 'Approve';

/** Forms of an approval that a person types, such as `/approve` or `Approved.`. */
const APPROVAL = /^\/?approved?[.!]?$/i;

/** Whether a person's text, as a whole, approves a plan; any other text says what should change. */
export function isApproval(text: string): boolean {
  return APPROVAL.test(text.trim());
}
