import {
  useIsMutating,
  useMutation,
  useMutationState,
  useQueryClient,
} from '@tanstack/react-query';
import { addComment, steerIssue } from '../../../api/actions.ts';
import { Button } from '../../../ui/button.tsx';
import { draftText, useDraftChoice, useDraftText } from '../../../ui/forms/form-draft.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { Problem } from '../../../ui/marks/problem.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { MessageField } from '../../control/message-field.tsx';
import { steeredText, STEER_MAX } from '../../control/steer-form.tsx';

/** As the service takes it. */
const COMMENT_MAX = 50_000;

/** Where a message goes: into the turn that runs, or onto the issue, from where the agent gets it too. */
export type MessageGoal = 'agent' | 'comment';

const GOALS = {
  agent: {
    choice: 'To the agent now',
    about: 'Only the agent reads it, in the turn that runs.',
    label: 'Guidance for the agent',
    placeholder: 'Send guidance to the running agent',
    button: 'Send',
    maxLength: STEER_MAX,
  },
  comment: {
    choice: 'As a comment',
    about: 'It stays on the issue, and the agent gets it too.',
    label: 'Comment',
    placeholder: 'Comment for the agent or your team',
    button: 'Comment',
    maxLength: COMMENT_MAX,
  },
} as const;

type MessageBoxProps = {
  identifier: string;
  /** Where a message can go now, the usual one first; where there are two, one chooses. */
  goals: readonly MessageGoal[];
};

/** The one box of an issue's page in which one writes to its agent or its people. */
export function MessageBox({ identifier, goals }: MessageBoxProps) {
  const client = useQueryClient();
  const draft = `message.${identifier}`;
  const [text, setText] = useDraftText(draft);
  const [chosen, choose] = useDraftChoice<MessageGoal>(
    `${draft}.goal`,
    ['agent', 'comment'],
    'agent',
  );
  const goal = goals.find((one) => one === chosen) ?? goals[0];
  const mutationKey = ['message', identifier];
  // The box may stand elsewhere on the page before an answer comes: it is the same message.
  const isSending = useIsMutating({ mutationKey }) > 0;
  const send = useMutation({
    mutationKey,
    mutationFn: async ({ to, message }: { to: MessageGoal; message: string }) => {
      if (to === 'agent') return steeredText([await steerIssue(identifier, message)]);
      await addComment(identifier, message);
      return null;
    },
    onSuccess: async (words, { message }) => {
      if (draftText(draft)?.trim() === message) setText('');
      if (words !== null) showToast(words);
      await client.invalidateQueries({ queryKey: ['comments', identifier] });
    },
  });
  const failed = useMutationState({
    filters: { mutationKey },
    select: ({ state }) => state.error,
  }).at(-1);
  if (goal === undefined) return null;
  const { label, placeholder, button, maxLength, about } = GOALS[goal];
  const message = text.trim();
  const write = (next: string) => {
    // What is begun for people does not go to an agent that begins meanwhile.
    if (text === '' && goals.length === 1) choose(goal);
    setText(next);
  };
  const submit = () => {
    if (message === '' || client.isMutating({ mutationKey }) > 0) return;
    send.mutate({ to: goal, message });
  };
  return (
    <Form class="steer" onSubmit={submit}>
      {goals.length > 1 && (
        <fieldset class="message-goals">
          <legend class="visually-hidden">Where the message goes</legend>
          {goals.map((one) => (
            <label key={one} class="check">
              <input
                type="radio"
                name={`goal-${identifier}`}
                checked={one === goal}
                onChange={() => choose(one)}
              />
              <span>{GOALS[one].choice}</span>
            </label>
          ))}
          <span class="quiet">{about}</span>
        </fieldset>
      )}
      <MessageField
        {...{ label, placeholder, maxLength }}
        data-identifier={draft}
        rows={goal === 'agent' ? 1 : 2}
        value={text}
        onInput={write}
        onSubmit={submit}
      />
      <Button type="submit" primary disabled={message === '' || isSending}>
        {button}
      </Button>
      {text !== '' && <Problem error={failed ?? null} />}
    </Form>
  );
}
