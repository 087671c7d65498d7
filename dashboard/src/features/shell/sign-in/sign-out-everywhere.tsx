import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'preact/hooks';
import { endAllSessions } from '../../../api/actions.ts';
import { forgetDrafts } from '../../../ui/forms/drafts.ts';
import { eventStream } from '../../../api/event-stream.ts';
import { Problem } from '../../../ui/marks/problem.tsx';
import { Question } from '../../../ui/overlays/question.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';

const ASKED = 'switchyard:sign-out-everywhere';

/** Opens the question from elsewhere. */
export const askToSignOutEverywhere = () => document.dispatchEvent(new Event(ASKED));

/** Asks for confirmation before every browser of every person is signed out, including this one. */
export function SignOutEverywhere() {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onAsked = () => setOpen(true);
    document.addEventListener(ASKED, onAsked);
    return () => document.removeEventListener(ASKED, onAsked);
  }, []);
  const end = useMutation({
    mutationFn: endAllSessions,
    onSuccess: () => {
      setOpen(false);
      showToast('All browsers are signed out.');
      forgetDrafts();
      eventStream.changeSession();
      void client.invalidateQueries();
    },
  });
  if (!open) return null;
  return (
    <Question
      title="Sign out everywhere?"
      confirmLabel="Sign out everywhere"
      danger
      pending={end.isPending}
      onConfirm={() => end.mutate()}
      onClose={() => setOpen(false)}
    >
      <p>Every browser that signed in to this service must sign in again. Tokens stay valid.</p>
      <Problem error={end.error} />
    </Question>
  );
}
