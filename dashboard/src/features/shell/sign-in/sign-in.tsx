import { useMutation, useQueryClient } from '@tanstack/react-query';
import { beginSession } from '../../../api/actions.ts';
import { eventStream } from '../../../api/event-stream.ts';
import { signedIn } from '../../../api/sign-in-wanted.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { Modal } from '../../../ui/overlays/modal.tsx';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';

/** Exchanges a token for a cookie that no script can read. The page behind the form is kept. */
export function SignIn({ message, onClose }: { message: string; onClose: () => void }) {
  const client = useQueryClient();
  const begin = useMutation({
    mutationFn: beginSession,
    onSuccess: ({ actor, scope }) => {
      signedIn();
      showToast(`Signed in as ${actor} with ${scope} access.`);
      onClose();
      eventStream.changeSession();
      void client.invalidateQueries();
    },
  });
  return (
    <Modal title="Sign in" narrow onClose={onClose}>
      <Form onSubmit={(element) => begin.mutate(textIn(element, 'token'))}>
        <p>{message}</p>
        <SecretField
          name="token"
          autoFocus
          label="Token"
          hint="The service's read or write token, or your API token."
        />
        <SubmitRow label="Sign in" busy="Signing in" of={begin}>
          <Button onClick={onClose}>Cancel</Button>
        </SubmitRow>
      </Form>
    </Modal>
  );
}
