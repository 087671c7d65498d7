import type { HumanRequest } from '@switchyard/shared/api/work/request';
import {
  APPROVE,
  EDITED_PLAN,
  isApproval,
  PLAN_DECISION,
} from '@switchyard/shared/plan/is-approval';
import { ownQuestions } from '@switchyard/shared/plan/outcome-of-plan';
import type { Draft, DraftField } from './answers-from.ts';

type Questions = Pick<HumanRequest, 'questions' | 'plan'>;
type Drafts = Readonly<Record<string, Draft>>;
type Answers = Record<string, string[]>;

/** Everything that a person may write about a plan. */
export function planFields({ questions }: Questions): DraftField[] {
  const edited = { id: EDITED_PLAN, isSecret: false };
  return [...questions, edited];
}

type PlanDecision = {
  /** The answers that approve the plan, as edited where it was; null: it was edited to nothing. */
  approval: Answers | null;
  /** The answers that send the plan back; null while the text says nothing for that. */
  sendBack: Answers | null;
  /** The plan's text is not as the agent wrote it. */
  isEdited: boolean;
  /** Something is written that an approval does not send. */
  isCriticized: boolean;
};

/** What a person may decide about a plan by what is written so far. */
export function planDecision(request: Questions, planText: string, drafts: Drafts): PlanDecision {
  const edited = editedText(planText, drafts);
  const text = textOf(drafts, PLAN_DECISION);
  const approval = answersWith(request, drafts, APPROVE);
  if (edited !== null) approval[EDITED_PLAN] = [edited];
  // The service would take an approval in the other field for one, which is not what it is for.
  const maySendBack = text !== '' && !isApproval(text);
  return {
    approval: edited?.trim() === '' ? null : approval,
    sendBack: maySendBack ? answersWith(request, drafts, text) : null,
    isEdited: edited !== null,
    isCriticized: text !== '',
  };
}

/** The plan's text as a person has edited it; null while it is as the agent wrote it. */
function editedText(planText: string, drafts: Drafts): string | null {
  const edited = drafts[EDITED_PLAN]?.text;
  return edited === undefined || comparable(edited) === comparable(planText) ? null : edited;
}

/** The decision with the answers that are given to the plan's own questions. */
function answersWith(request: Questions, drafts: Drafts, decision: string): Answers {
  const given = ownQuestions(request).flatMap(({ id }) => {
    const answer = drafts[id]?.choice ?? textOf(drafts, id);
    return answer === '' ? [] : [{ id, answer }];
  });
  const all = [{ id: PLAN_DECISION, answer: decision }, ...given];
  return Object.fromEntries(all.map(({ id, answer }) => [id, [answer]]));
}

const textOf = (drafts: Drafts, id: string): string => drafts[id]?.text.trim() ?? '';

/** A field on a page has other line ends than a text may have, and may lose blanks at its ends. */
const comparable = (text: string): string => text.replaceAll('\r\n', '\n').trim();
