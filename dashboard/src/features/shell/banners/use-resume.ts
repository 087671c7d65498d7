import { useQueryClient } from '@tanstack/react-query';
import { resumeService } from '../../../api/actions.ts';
import { showToast, showErrorToast } from '../../../ui/overlays/toasts.tsx';
import { runUndoable } from '../../../ui/overlays/run-undoable.ts';
import { refresh } from '../../../api/read-query.ts';

/** Resumes all work after an undo period. */
export function useResume(): () => void {
  const client = useQueryClient();
  const run = async () => {
    await resumeService().then(() => showToast('Work resumed.'), showErrorToast);
    await refresh(client, 'state');
  };
  return () =>
    runUndoable({
      about: ['all work'],
      text: () => 'Resuming all work',
      run,
      leave: resumeService,
    });
}
