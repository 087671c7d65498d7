import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { Ago, Due } from '../../ui/marks/ago.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { answersFrom } from './answers-from.ts';
import { QuestionField } from './question-field.tsx';
import { useAnswer } from './use-answer.ts';
import { useAnswerDrafts } from './use-answer-drafts.ts';
import './requests.css';

/** An agent's questions with a field for each. Only the first answer counts. */
export function AnswerForm({ request }: { request: HumanRequest }) {
  const { drafts, change, forget } = useAnswerDrafts(request.requestId, request.questions);
  const send = useAnswer(request, forget);
  const answers = answersFrom(request.questions, drafts);
  return (
    <Form
      class="answer"
      onSubmit={() => {
        if (answers !== null) send.mutate(answers);
      }}
    >
      {request.questions.map((question) => (
        <QuestionField
          key={question.id}
          group={`${request.requestId}:${question.id}`}
          question={question}
          draft={drafts[question.id]}
          onChange={(draft) => change(question.id, draft)}
        />
      ))}
      <Problem error={send.error} />
      <footer>
        <Button type="submit" primary disabled={answers === null || send.isPending}>
          {send.isPending ? 'Sending' : 'Send answer'}
        </Button>
        <span class="quiet">
          Asked <Ago at={request.askedAt} />, expires <Due at={request.expiresAt} />
        </span>
      </footer>
    </Form>
  );
}
