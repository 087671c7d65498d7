import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formText } from '../../ui/forms/form-text.ts';
import { Modal } from '../../ui/overlays/modal.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { nameThread, type RunnerChoice, threadQuery } from './queries.ts';
import { threadMessages } from './thread-messages.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';

/** The messages of a thread and its name. */
export function ThreadTurns(props: {
  threadId: string;
  name: string;
  runner: RunnerChoice;
  onClose: () => void;
}) {
  const { threadId, runner } = props;
  const client = useQueryClient();
  const thread = useQuery(threadQuery(threadId, runner));
  const rename = useMutation({
    mutationFn: (name: string) => nameThread({ threadId, runner, name }),
    onSuccess: async () => {
      showToast('Thread renamed.');
      await client.invalidateQueries({ queryKey: ['engine', 'threads'] });
    },
  });
  return (
    <Modal title={props.name} onClose={props.onClose}>
      <Form
        class="thread-name"
        onSubmit={(element) => rename.mutate(formText(element, 'name').trim())}
      >
        <input
          class="field"
          name="name"
          aria-label="Name of the thread"
          defaultValue={props.name}
          required
          maxLength={500}
          autoComplete="off"
        />
        <Button type="submit" disabled={rename.isPending}>
          Rename
        </Button>
      </Form>
      <Problem error={rename.error} />
      <QueryView query={thread} skeletonLines={6}>
        {(found) => {
          const messages = threadMessages(found.thread.turns);
          return messages.length === 0 ? (
            <p class="quiet">No messages yet.</p>
          ) : (
            <ol class="thread-turns" tabIndex={0} aria-label="History">
              {messages.map((item, position) => (
                <li key={position}>
                  <strong>{item.who}</strong>
                  <p class="wrap" dir="auto">
                    {item.text}
                  </p>
                </li>
              ))}
            </ol>
          );
        }}
      </QueryView>
    </Modal>
  );
}
