import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { saveRoute } from '../save/save-route.ts';
import { type CheckDraft, draftsOf, refusedChecks, withChecks } from './check-draft.ts';
import { CheckFields } from './check-fields.tsx';

/** Edits the checks of an existing route; everything else is kept. */
export function ChecksDialog(props: {
  route: RepoRoute;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { route, onChanged, onClose } = props;
  const [checks, setChecks] = useState<readonly CheckDraft[]>(() => draftsOf(route));
  const save = useMutation({
    mutationFn: (drafts: readonly CheckDraft[]) => saveRoute(route, withChecks(route, drafts)),
    onSuccess: () => {
      showToast(`Checks of ${shownRepository(route.url)} saved.`);
      onClose();
    },
    onSettled: onChanged,
  });
  const refused = refusedChecks(save.error, save.variables ?? []);
  return (
    <FormDialog
      title={`Checks of ${shownRepository(route.url)}`}
      wide
      submitLabel="Save"
      busyLabel="Saving"
      of={{ isPending: save.isPending, error: refused.rest }}
      onSubmit={() => save.mutate(checks)}
      onClose={onClose}
    >
      <CheckFields checks={checks} onChecks={setChecks} refused={refused.fields} />
    </FormDialog>
  );
}
