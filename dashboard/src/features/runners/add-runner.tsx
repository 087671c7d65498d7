import type { Runner } from '@switchyard/shared/api/runner';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'preact/hooks';
import { createJoinToken } from '../../api/actions.ts';
import { runnersQuery } from '../../api/queries.ts';
import { CommandLine } from '../../ui/command-line.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Modal } from '../../ui/overlays/modal.tsx';
import { Due } from '../../ui/marks/ago.tsx';
import { LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { Button } from '../../ui/button.tsx';

const WAITING_MS = 3_000;

/** Adds a runner, in a dialog. */
export function AddRunner({ known, onClose }: { known: Runner[]; onClose: () => void }) {
  return (
    <Modal title="Add a runner" onClose={onClose}>
      <JoinRunner known={known} />
      <footer>
        <Button primary onClick={onClose}>
          Done
        </Button>
      </footer>
    </Modal>
  );
}

/**
 * Creates a single-use token, shows the command to paste, and reports when the runner has joined.
 */
export function JoinRunner({ known }: { known: Runner[] }) {
  const token = useMutation({ mutationFn: createJoinToken });
  const [before] = useState(() => new Set(known.map((runner) => runner.runnerId)));
  const joined = known.find((runner) => !before.has(runner.runnerId));
  const { mutate } = token;
  // Polls, since no event reports a runner that joined without connecting.
  useQuery({ ...runnersQuery, refetchInterval: WAITING_MS });
  useEffect(() => mutate(), [mutate]);
  return (
    <>
      {isOnlyHere(location.hostname) && (
        <p class="note">
          <Icon name="warning" size={14} />
          <span>
            To each machine, {location.hostname} is itself: other machines cannot join there. For
            them, start Switchyard with <code>SERVICE_WRITE_TOKEN</code> and{' '}
            <code>--host 0.0.0.0</code>, and open this page at an address that they reach.
          </span>
        </p>
      )}
      <ol class="steps">
        <li>
          On the runner's machine, where Switchyard is installed, run:
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
          Then start the runner:
          <Command command="switchyard runner" />
        </li>
      </ol>
      <p class="note">
        In a checkout, write <code>npm run runner --</code> in place of{' '}
        <code>switchyard runner</code>.
      </p>
      <p class={joined ? 'note good' : 'note'} role="status">
        <Icon name={joined ? 'completed' : 'running'} size={14} />
        {joined ? joinedText(joined) : 'Waiting for the runner to join'}
      </p>
    </>
  );
}

function joinedText(runner: Runner): string {
  return runner.status === 'connected'
    ? `${runner.name} is connected.`
    : `${runner.name} has joined. Start it to connect it.`;
}

/** Whether the host name refers to this machine only, on every machine. */
function isOnlyHere(hostname: string): boolean {
  return /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** The command to paste. A token has only characters without a meaning in shells. */
function joinCommand(origin: string, token: string): string {
  return `switchyard runner join ${origin} --token ${token}`;
}

function Command({ command, expiresAt }: { command: string; expiresAt?: string }) {
  return (
    <>
      <CommandLine command={command} />
      {expiresAt !== undefined && (
        <p class="quiet">
          Valid once; expires <Due at={expiresAt} />.
        </p>
      )}
    </>
  );
}
