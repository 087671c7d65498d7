import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'preact/hooks';
import { pauseService } from '../../../api/actions.ts';
import { stateQuery } from '../../../api/queries.ts';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { textIn } from '../../../ui/forms/form-text.ts';
import { refresh } from '../../../api/read-query.ts';
import { IconButton } from '../../../ui/icon-button.tsx';

const ASKED = 'switchyard:pause';

/** Opens the question from elsewhere. */
export const askForPause = () => document.dispatchEvent(new Event(ASKED));

/** Pauses all work. The banner of every page resumes it. */
export function PauseButton() {
  const { data } = useQuery(stateQuery);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onAsked = () => setOpen(true);
    document.addEventListener(ASKED, onAsked);
    return () => document.removeEventListener(ASKED, onAsked);
  }, []);
  // Shown also while the state is unknown, when a person may need it.
  if (data !== undefined && data.paused !== null) return null;
  return (
    <>
      <IconButton icon="pause" label="Pause all work" onClick={() => setOpen(true)} />
      {open && <PauseForm running={data?.running.length ?? null} onClose={() => setOpen(false)} />}
    </>
  );
}

function PauseForm({ running, onClose }: { running: number | null; onClose: () => void }) {
  const client = useQueryClient();
  const pause = useMutation({
    mutationFn: pauseService,
    onSuccess: async () => {
      await refresh(client, 'state');
      onClose();
    },
  });
  const submit = (form: HTMLFormElement) =>
    pause.mutate({
      reason: textIn(form, 'reason') || 'no reason given',
      stopRunning: new FormData(form).has('stopRunning'),
    });
  return (
    <FormDialog
      title="Pause all work?"
      submitLabel="Pause"
      of={pause}
      onClose={onClose}
      onSubmit={submit}
    >
      <p>No new work starts until you resume. Issues keep their place in the queue.</p>
      <TextField
        prose
        label="Reason, shown on every page (optional)"
        name="reason"
        maxLength={500}
        autoFocus
      />
      <label class="check">
        <input type="checkbox" name="stopRunning" disabled={running === 0} />
        <span>
          Also stop running attempts
          <small>
            {running === 0
              ? 'No attempts are running.'
              : `${running === null ? '' : `${running} running; `}work is saved and continues after the pause.`}
          </small>
        </span>
      </label>
    </FormDialog>
  );
}
