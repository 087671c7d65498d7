import { useMutation } from '@tanstack/react-query';
import { steerIssue } from '../../api/actions.ts';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { Button } from '../../ui/button.tsx';
import { useDraftText } from '../../ui/forms/form-draft.ts';
import { Form } from '../../ui/forms/form.tsx';
import { MessageField } from './message-field.tsx';

/** The service's own limit. */
export const STEER_MAX = 20_000;

/** Text on whether the running agents have received the guidance. */
export function steeredText(answers: readonly { delivered: boolean }[]): string {
  return answers.every((one) => one.delivered)
    ? 'Message sent.'
    : 'Message queued; the agent gets it as soon as possible.';
}

/**
 * Sends guidance to the running turns of one or several issues, which agents receive during their
 * work.
 */
export function SteerForm(props: { identifiers: readonly string[]; onSent: () => void }) {
  const [message, setMessage] = useDraftText(`steer.${props.identifiers.join(' ')}`);
  const send = useMutation({
    mutationFn: (text: string) => Promise.all(props.identifiers.map((id) => steerIssue(id, text))),
    onSuccess: (answers) => {
      setMessage('');
      showToast(steeredText(answers));
      props.onSent();
    },
  });
  const text = message.trim();
  const submit = () => text !== '' && !send.isPending && send.mutate(text);
  return (
    <Form class="steer" onSubmit={() => submit()}>
      <MessageField
        label="Guidance for the agent"
        placeholder="Send guidance to the running agent"
        rows={4}
        maxLength={STEER_MAX}
        autoFocus
        value={message}
        onInput={setMessage}
        onSubmit={submit}
      />
      <Button icon="steer" type="submit" primary disabled={text === '' || send.isPending}>
        Send
      </Button>
      <Problem error={send.error} />
    </Form>
  );
}
