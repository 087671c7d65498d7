import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { pauseService } from '../../../api/actions.ts';
import { stateQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Modal } from '../../../ui/overlays/modal.tsx';
import { formText } from '../../../ui/forms/form-text.ts';
import { Problem } from '../../../ui/marks/problem.tsx';
import { Button } from '../../../ui/button.tsx';

const ASKED = 'switchyard:pause';

/** Opens the question from elsewhere. */
export const askForPause = () => document.dispatchEvent(new Event(ASKED));

/** The switch that stops everything. The way back stands in the banner of every page. */
export function PauseButton() {
  const { data } = useQuery(stateQuery);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onAsked = () => setOpen(true);
    document.addEventListener(ASKED, onAsked);
    return () => document.removeEventListener(ASKED, onAsked);
  }, []);
  // Also while nobody knows how things stand: that is when one may want it.
  if (data !== undefined && data.paused !== null) return null;
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Pause all work"
        title="Pause all work"
        onClick={() => setOpen(true)}
      >
        <Icon name="pause" />
      </button>
      {open && <PauseForm running={data?.running.length ?? null} onClose={() => setOpen(false)} />}
    </>
  );
}

function PauseForm({ running, onClose }: { running: number | null; onClose: () => void }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const pause = useMutation({
    mutationFn: pauseService,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['state'] });
      onClose();
    },
  });
  const submit = () => {
    if (form.current === null) return;
    const fields = new FormData(form.current);
    const reason = formText(form.current, 'reason').trim();
    pause.mutate({
      reason: reason === '' ? 'no reason given' : reason,
      stopRunning: fields.has('stopRunning'),
    });
  };
  return (
    <Modal title="Pause all work?" narrow onClose={onClose}>
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p>No new work starts until you resume. Issues keep their place in the queue.</p>
        <label class="stack">
          Reason, shown on every page (optional)
          <input class="field" name="reason" maxLength={500} autoFocus autoComplete="off" />
        </label>
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
        <Problem error={pause.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" primary disabled={pause.isPending}>
            Pause
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
