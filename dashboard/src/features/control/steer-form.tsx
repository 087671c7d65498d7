import { useMutation } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { steerIssue } from '../../api/actions.ts';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toast.tsx';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';

/** As the service takes it. */
const MESSAGE_MAX = 20_000;

type SteerFormProps = {
  identifiers: readonly string[];
  autoFocus?: boolean;
  onSent?: () => void;
};

/** Guidance for a turn that runs: the agent hears it in the middle of its work. */
export function SteerForm({ identifiers, autoFocus = false, onSent }: SteerFormProps) {
  const [message, setMessage] = useState('');
  const send = useMutation({
    mutationFn: (text: string) => Promise.all(identifiers.map((id) => steerIssue(id, text))),
    onSuccess: (answers) => {
      setMessage('');
      showToast(
        answers.every((one) => one.delivered)
          ? 'Message delivered.'
          : 'Message queued; the agent receives it as soon as possible.',
      );
      onSent?.();
    },
  });
  const text = message.trim();
  const submit = () => text !== '' && !send.isPending && send.mutate(text);
  return (
    <Form class="steer" onSubmit={() => submit()}>
      <textarea
        class="field"
        name="steer"
        rows={autoFocus ? 4 : 1}
        maxLength={MESSAGE_MAX}
        aria-label="Guidance for the agent"
        placeholder="Send guidance to the running agent"
        autoFocus={autoFocus}
        value={message}
        onInput={(event) => setMessage(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <Button icon="steer" type="submit" primary disabled={text === '' || send.isPending}>
        Send
      </Button>
      <Problem error={send.error} />
    </Form>
  );
}
