import type { Question } from '@switchyard/shared/api/work/question';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'preact/hooks';
import { answerRequest } from '../../api/actions.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Ago, Due } from '../../ui/marks/ago.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { forgetDraft, readDraft, watchDraft, writeDraft } from '../../ui/forms/drafts.ts';
import { answersFrom, type Draft, draftsFrom, keptOf, secretsOf } from './answers-from.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { refresh } from '../../api/read-query.ts';
import './requests.css';

/** An agent's questions with a field for each. Only the first answer counts. */
export function AnswerForm({ request }: { request: HumanRequest }) {
  const client = useQueryClient();
  const name = `answer.${request.requestId}`;
  const [drafts, setDrafts] = useState(() => draftsFrom(request.questions, readDraft(name)));
  const change = (id: string, draft: Draft) => {
    const next = { ...drafts, [id]: draft };
    setDrafts(next);
    writeDraft(name, keptOf(request.questions, next));
  };
  // Secrets are not synchronized from other tabs, so a typed one stays.
  useEffect(
    () =>
      watchDraft(name, () =>
        setDrafts((before) => ({
          ...secretsOf(request.questions, before),
          ...draftsFrom(request.questions, readDraft(name)),
        })),
      ),
    [name, request.questions],
  );
  const send = useMutation({
    mutationFn: (answers: Record<string, string[]>) => answerRequest(request.requestId, answers),
    onSuccess: () => forgetDraft(name),
    onSettled: () =>
      Promise.all([
        refresh(client, 'requests'),
        client.invalidateQueries({ queryKey: ['issue', request.identifier] }),
      ]),
  });
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
          draft={drafts[question.id] ?? { choice: null, text: '' }}
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

type FieldProps = {
  group: string;
  question: Question;
  draft: Draft;
  onChange: (draft: Draft) => void;
};

function QuestionField({ group, question, draft, onChange }: FieldProps) {
  const field = {
    class: 'field',
    autoComplete: 'off',
    'aria-label': question.options.length > 0 ? 'Other answer' : question.question,
    value: draft.text,
    onInput: (event: InputEvent) =>
      onChange({ choice: null, text: (event.currentTarget as HTMLInputElement).value }),
  };
  return (
    <fieldset>
      <legend>
        <Icon name="asking" />
        <span>
          {question.header !== '' && <small>{question.header}</small>}
          {question.question}
        </span>
      </legend>
      {question.options.map((option) => (
        <label key={option.label} class="option">
          <input
            type="radio"
            name={group}
            checked={draft.choice === option.label}
            onChange={() => onChange({ choice: option.label, text: '' })}
          />
          <span>
            {option.label}
            {option.description !== '' && <small>{option.description}</small>}
          </span>
        </label>
      ))}
      {question.isSecret ? (
        <input type="password" placeholder="Never logged or shown" {...field} />
      ) : (
        <input
          type="text"
          placeholder={question.options.length > 0 ? 'Or type an answer' : 'Your answer'}
          {...field}
        />
      )}
    </fieldset>
  );
}
