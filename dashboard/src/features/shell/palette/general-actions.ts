import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'preact/hooks';
import { requestSync, endSession } from '../../../api/actions.ts';
import { forgetDrafts } from '../../../ui/forms/drafts.ts';
import { eventStream } from '../../../api/event-stream.ts';
import { stateQuery } from '../../../api/queries.ts';
import { askToSignIn } from '../../../api/sign-in-wanted.ts';
import { showToast, showErrorToast } from '../../../ui/overlays/toasts.tsx';
import type { Command } from './find-commands.ts';
import { useCanSync } from '../../overview/use-can-sync.ts';
import { askForPause } from '../rail/pause-button.tsx';
import { askToSignOutEverywhere } from '../sign-in/sign-out-everywhere.tsx';
import { useResume } from '../banners/use-resume.ts';

/** Commands that are available on every page. */
export function useGeneralActions(): Command[] {
  const router = useRouter();
  const client = useQueryClient();
  const resume = useResume();
  const paused = (useQuery(stateQuery).data?.paused ?? null) !== null;
  const canSync = useCanSync();
  return useMemo(() => {
    const report = (act: Promise<unknown>, message: string) =>
      void act.then(() => (showToast(message), client.invalidateQueries())).catch(showErrorToast);
    const pause: Command = paused
      ? action('resume', 'Resume all work', 'pause', resume)
      : action('pause', 'Pause all work', 'pause', askForPause);
    return [
      action('new-issue', 'New issue', 'plus', () =>
        router.navigate({ to: '/board', search: { new: 'issue' } }),
      ),
      pause,
      ...(canSync
        ? [action('poll', 'Sync now', 'retry', () => report(requestSync(), 'Sync requested.'))]
        : []),
      action('docs', 'Documentation', 'help', () =>
        router.navigate({ to: '/docs/$page', params: { page: 'setup' } }),
      ),
      action('api', 'API explorer', 'code', () => location.assign('/api/docs')),
      action('sign-in', 'Sign in with a token', 'key', () =>
        askToSignIn('Enter a token to sign in with its permissions.'),
      ),
      action('sign-out', 'Sign out', 'key', () => {
        report(
          endSession().then(() => {
            forgetDrafts();
            eventStream.changeSession();
          }),
          'Signed out.',
        );
      }),
      action('sign-out-everywhere', 'Sign out everywhere', 'key', askToSignOutEverywhere),
    ];
  }, [router, client, paused, canSync, resume]);
}

function action(id: string, label: string, icon: Command['icon'], run: () => unknown): Command {
  return { id: `do-${id}`, label, hint: '', icon, run: () => void run() };
}
