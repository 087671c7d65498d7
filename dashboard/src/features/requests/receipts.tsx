import { ownQuestions } from '@switchyard/shared/plan/outcome-of-plan';
import type { Question } from '@switchyard/shared/api/work/question';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { actorText } from '@switchyard/shared/reasons/act-of-person';
import { useReader } from '../../api/queries.ts';
import { serviceNowMs } from '../../api/service-clock.ts';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { Ago, Elapsed } from '../../ui/marks/ago.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { decidedText, planOutcome } from './plan-outcome.ts';

const STATES: Record<HumanRequest['state'], { word: string; tone: Tone }> = {
  asked: { word: 'Waiting', tone: 'ask' },
  answered: { word: 'Answered', tone: 'info' },
  resumed: { word: 'Resumed', tone: 'good' },
  expired: { word: 'Expired', tone: 'warning' },
};

/** Earlier questions and plans: who answered what, and whether the agent continued with it. */
export function Receipts({ requests }: { requests: HumanRequest[] }) {
  const settled = requests.filter((request) => request.state !== 'asked');
  if (settled.length === 0) return null;
  return (
    <section class="receipts" aria-labelledby="receipts-title">
      <h2 id="receipts-title">Past questions and plans</h2>
      <ul class="rows panel">
        {settled.map((request) =>
          request.plan === null ? (
            <Receipt key={request.requestId} request={request} />
          ) : (
            <PlanReceipt key={request.requestId} request={request} />
          ),
        )}
      </ul>
    </section>
  );
}

function Receipt({ request }: { request: HumanRequest }) {
  const { word, tone } = STATES[request.state];
  return (
    <li>
      <Badge tone={tone}>{word}</Badge>
      <div class="grow wrap">
        {request.questions.map((question) => (
          <Answered key={question.id} question={question} request={request} />
        ))}
        <Trail request={request} />
      </div>
      <IssueLink identifier={request.identifier} />
    </li>
  );
}

/** A decided plan: the decision, and what was answered to its own questions. */
function PlanReceipt({ request }: { request: HumanRequest }) {
  const { label, tone, line } = planOutcome(request);
  const answered = ownQuestions(request).filter(({ id }) => request.answers?.[id] !== undefined);
  return (
    <li>
      <Badge tone={tone}>{label}</Badge>
      <div class="grow wrap">
        <p dir="auto">{line}</p>
        {answered.map((question) => (
          <Answered key={question.id} question={question} request={request} />
        ))}
        <Trail request={request} />
        <details>
          <summary>Plan</summary>
          <Markdown text={decidedText(request)} />
        </details>
      </div>
      <IssueLink identifier={request.identifier} />
    </li>
  );
}

/** A question with what was answered. */
function Answered({ question, request }: { question: Question; request: HumanRequest }) {
  return (
    <p dir="auto">
      {question.question} <strong>{request.answers?.[question.id]?.join(', ') ?? ''}</strong>
    </p>
  );
}

/** The stages of a question: asked, answered, and received by the agent. */
function Trail({ request }: { request: HumanRequest }) {
  const reader = useReader();
  const isPlan = request.plan !== null;
  const askedMs = Date.parse(request.askedAt);
  return (
    <ol class="trail quiet">
      <li>
        {isPlan ? 'Handed in' : 'Asked'} <Ago at={request.askedAt} />
      </li>
      {request.answeredAt !== null && (
        <li>
          {isPlan ? 'decided' : 'answered'}
          {request.answeredBy !== null && ` by ${actorText(request.answeredBy, reader)}`} after{' '}
          <Elapsed from={askedMs} to={Date.parse(request.answeredAt)} />
        </li>
      )}
      {request.state === 'resumed' && !isPlan && <li>agent resumed</li>}
      {request.state === 'answered' && <li>being delivered to the agent</li>}
      {request.state === 'expired' && <Expired request={request} />}
    </ol>
  );
}

/** Former versions did not change the deadline of a question whose attempt had ended. */
function Expired({ request: { expiresAt } }: { request: HumanRequest }) {
  if (Date.parse(expiresAt) > serviceNowMs()) return <li>ended with its attempt, unanswered</li>;
  return (
    <li>
      expired <Ago at={expiresAt} /> without an answer
    </li>
  );
}
