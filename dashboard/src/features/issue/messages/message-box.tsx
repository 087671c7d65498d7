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

/** The service's own limit. */
const COMMENT_MAX = 50_000;

/**
 * Destination of a message: the running turn, or a comment on the issue, from which the agent gets
 * it too.
 */
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
  /** The current destinations, the default first; with two, the person selects one. */
  goals: readonly MessageGoal[];
};

/** The only box on an issue's page for messages to its agent or people. */
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
  // The mutation has a key, since the box may move on the page before the response arrives.
  const isSending = useIsMutating({ mutationKey }) > 0;
  const send = useMutation({
    mutationKey,
    mutationFn: async ({ to, message }: { to: MessageGoal; message: string }) => {
      if (to === 'agent') return steeredText([await steerIssue(identifier, message)]);
      await addComment(identifier, message);
      return null;
    },
    onSuccess: async (report, { message }) => {
      if (draftText(draft)?.trim() === message) setText('');
      if (report !== null) showToast(report);
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
    // A message begun for people stays for them, even if an agent starts meanwhile.
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
