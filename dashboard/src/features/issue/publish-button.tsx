import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { publishDraft } from '../../api/actions.ts';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { refresh } from '../../api/read-query.ts';

/** Publishes the present work as a draft that people can read, run and finish. */
export function PublishButton({ identifier }: { identifier: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const publish = async () => {
    const pullRequest = await publishDraft(identifier);
    void client.invalidateQueries({ queryKey: ['issue', identifier] });
    void refresh(client, 'pull-requests');
    if (pullRequest.codeHost !== 'local') return;
    await navigate({ to: '/pull-requests/$id', params: { id: pullRequest.id } });
  };
  return (
    <ConfirmButton
      label="Deliver as draft"
      icon="pull"
      question={`Deliver the unfinished work of ${identifier} as a draft?`}
      explanation="Pushes a branch and opens a draft pull request. The issue keeps its status."
      confirmLabel="Deliver as draft"
      action={publish}
    />
  );
}
