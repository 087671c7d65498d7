import { useQueryClient } from '@tanstack/react-query';
import { resumeService } from '../../../api/actions.ts';
import { say, sayError } from '../../../ui/overlays/toast.tsx';
import { doUnlessUndone } from '../../../ui/overlays/undoable.ts';

/** Lets all work start again, unless that is taken back. */
export function useResume(): () => void {
  const client = useQueryClient();
  const run = async () => {
    await resumeService().then(() => say('Work resumed.'), sayError);
    await client.invalidateQueries({ queryKey: ['state'] });
  };
  return () =>
    doUnlessUndone({
      about: ['all work'],
      words: () => 'Resuming all work',
      run,
      leave: resumeService,
    });
}
