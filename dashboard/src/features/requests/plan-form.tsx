import { ownQuestions } from '@switchyard/shared/plan/outcome-of-plan';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import {
  EDITED_PLAN,
  isApproval,
  MAX_PLAN_CHARS,
  MAX_REPLY_CHARS,
  PLAN_DECISION,
} from '@switchyard/shared/plan/is-approval';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Ago, Due } from '../../ui/marks/ago.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { Question } from '../../ui/overlays/question.tsx';
import { QuestionField } from './question-field.tsx';
import { type PlanStep, usePlanDecision } from './use-plan-decision.ts';
import './requests.css';

type Plan = NonNullable<HumanRequest['plan']>;
type Decision = ReturnType<typeof usePlanDecision>;
type PlanPartProps = { request: HumanRequest; plan: Plan; decision: Decision };

/** An agent's plan, which a person approves, edits or sends back. */
export function PlanForm({ request, plan }: { request: HumanRequest; plan: Plan }) {
  const decision = usePlanDecision(request, plan.text);
  const { drafts, change } = decision;
  return (
    <div class="answer">
      <h2>
        <Icon name="plan" /> Plan for approval
      </h2>
      {plan.isStale && (
        <p class="plan-stale">
          <Icon name="warning" size={14} /> The issue has changed since this plan was begun.
        </p>
      )}
      {/* Not a form: Enter in an answer must not begin the work. */}
      <PlanText request={request} plan={plan} decision={decision} />
      {ownQuestions(request).map((question) => (
        <QuestionField
          key={question.id}
          group={`${request.requestId}:${question.id}`}
          question={question}
          draft={drafts[question.id]}
          isOptional
          onChange={(draft) => change(question.id, draft)}
        />
      ))}
      <Problem error={decision.error} />
      <ApproveRow request={request} plan={plan} decision={decision} />
      <SendBack decision={decision} />
      <LossQuestion decision={decision} />
    </div>
  );
}

/** The plan as it will be read by the agent, or the field in which a person edits it. */
function PlanText({ request: { identifier }, plan, decision }: PlanPartProps) {
  const edited = decision.drafts[EDITED_PLAN]?.text;
  const field = useRef<HTMLTextAreaElement>(null);
  const isEditing = edited !== undefined;
  const wasEditing = useRef(isEditing);
  // Only after the button: a draft from before the page was loaded must not take the focus.
  useLayoutEffect(() => {
    if (isEditing && !wasEditing.current) field.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (!isEditing) {
    return (
      <div class="plan-text" tabIndex={0} role="region" aria-label={`Plan text of ${identifier}`}>
        <Markdown text={plan.text} />
      </div>
    );
  }
  return (
    <textarea
      ref={field}
      class="field mono plan-editor"
      aria-label="Plan in Markdown"
      maxLength={MAX_PLAN_CHARS}
      value={edited}
      onInput={({ currentTarget: { value: text } }) =>
        decision.change(EDITED_PLAN, { choice: null, text })
      }
    />
  );
}

function ApproveRow({ request, plan, decision }: PlanPartProps) {
  const isEditing = decision.drafts[EDITED_PLAN] !== undefined;
  const edit = () => decision.change(EDITED_PLAN, { choice: null, text: plan.text });
  return (
    <footer>
      <Button primary disabled={!decision.canApprove} onClick={() => decision.take('approve')}>
        {decision.isPending ? 'Sending' : 'Approve'}
      </Button>
      <Button onClick={isEditing ? () => decision.take('discard') : edit}>
        {isEditing ? 'Cancel' : 'Edit'}
      </Button>
      <span class="quiet">
        Handed in <Ago at={request.askedAt} />, expires <Due at={request.expiresAt} />
      </span>
    </footer>
  );
}

function SendBack({ decision }: { decision: Decision }) {
  const id = useId();
  const text = decision.drafts[PLAN_DECISION]?.text ?? '';
  return (
    <Form
      class="send-back"
      onSubmit={() => {
        if (decision.canSendBack) decision.take('send_back');
      }}
    >
      <label for={id}>What should be different?</label>
      <textarea
        id={id}
        class="field"
        rows={2}
        maxLength={MAX_REPLY_CHARS}
        aria-describedby={`${id}-about`}
        value={text}
        onInput={({ currentTarget: { value } }) =>
          decision.change(PLAN_DECISION, value === '' ? null : { choice: null, text: value })
        }
      />
      <footer>
        <Button type="submit" disabled={!decision.canSendBack}>
          Send back
        </Button>
        <span id={`${id}-about`} class="quiet" role="status">
          {isApproval(text)
            ? 'To approve the plan, use the button Approve.'
            : 'The agent makes another plan.'}
        </span>
      </footer>
    </Form>
  );
}

const LOSSES: Record<PlanStep, { title: string; label: string; text: string }> = {
  approve: {
    title: 'Approve without what you wrote?',
    label: 'Approve',
    text: 'The work begins. What you wrote about what should be different is not sent with an approval.',
  },
  send_back: {
    title: 'Send back without your changes?',
    label: 'Send back',
    text: 'The agent makes another plan. Your changes to this one are not sent to it.',
  },
  discard: {
    title: 'Discard your changes to the plan?',
    label: 'Discard',
    text: 'The plan is again as the agent wrote it.',
  },
};

/** Asks before something that a person has written is lost. */
function LossQuestion({ decision: { asked, takeNow, cancel } }: { decision: Decision }) {
  if (asked === null) return null;
  const { title, label, text } = LOSSES[asked];
  return (
    <Question
      title={title}
      confirmLabel={label}
      danger={asked === 'discard'}
      onConfirm={() => takeNow(asked)}
      onClose={cancel}
    >
      <p>{text}</p>
    </Question>
  );
}
