import type { Runner } from '@switchyard/shared/api/runner';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'preact/hooks';
import { createJoinToken } from '../../api/actions.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Ago } from '../../ui/moment.tsx';
import { LoadError, Skeleton } from '../../ui/panel-states.tsx';

/** Makes a one-time token, shows the command to paste, and says when the runner is there. */
export function AddRunner({ known, onClose }: { known: Runner[]; onClose: () => void }) {
  const token = useMutation({ mutationFn: createJoinToken });
  const [before] = useState(() => new Set(known.map((runner) => runner.runnerId)));
  const joined = known.find((runner) => !before.has(runner.runnerId));
  const { mutate } = token;
  useEffect(() => mutate(), [mutate]);
  return (
    <Modal title="Add a runner" onClose={onClose}>
      <ol class="steps">
        <li>
          On the machine that should do the work, in a checkout of this repository, run:
          {token.error !== null && <LoadError error={token.error} onRetry={() => mutate()} />}
          {token.isPending && <Skeleton lines={1} />}
          {token.data && (
            <Command
              command={joinCommand(location.origin, token.data.token)}
              expiresAt={token.data.expiresAt}
            />
          )}
        </li>
        <li>
          Then start it:
          <Command command="npm run runner" />
        </li>
      </ol>
      <p class={joined ? 'note good' : 'note'} role="status">
        <Icon name={joined ? 'completed' : 'running'} size={14} />
        {joined ? `${joined.name} has joined.` : 'Waiting for the runner to join'}
      </p>
      <footer>
        <button type="button" class="button primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Modal>
  );
}

/** The line to paste. A token is made of letters that no shell reads otherwise. */
function joinCommand(origin: string, token: string): string {
  return `npm run runner -- join ${origin} --token ${token}`;
}

function Command({ command, expiresAt }: { command: string; expiresAt?: string }) {
  return (
    <>
      <div class="command">
        <code>{command}</code>
        <CopyButton text={command} />
      </div>
      {expiresAt !== undefined && (
        <p class="quiet">
          Works once, expires <Ago at={expiresAt} />.
        </p>
      )}
    </>
  );
}
