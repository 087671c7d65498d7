import type { Question } from '@switchyard/shared/api/work/question';
import { Icon } from '../../ui/marks/icon.tsx';
import type { Draft } from './answers-from.ts';

type QuestionFieldProps = {
  group: string;
  question: Question;
  draft: Draft | undefined;
  /** The request can be answered without it. */
  isOptional?: boolean;
  onChange: (draft: Draft) => void;
};

const NOTHING_YET: Draft = { choice: null, text: '' };

/** A question with its options and a field for another answer. */
export function QuestionField(props: QuestionFieldProps) {
  const { group, question, isOptional = false, onChange } = props;
  const draft = props.draft ?? NOTHING_YET;
  const ownAnswer = isOptional ? 'Your answer (optional)' : 'Your answer';
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
          placeholder={question.options.length > 0 ? 'Or type an answer' : ownAnswer}
          {...field}
        />
      )}
    </fieldset>
  );
}
