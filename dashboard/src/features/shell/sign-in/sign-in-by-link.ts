import { beginLocalSession } from '../../../api/actions.ts';
import { ApiError } from '../../../api/api.ts';
import { eventStream } from '../../../api/event-stream.ts';
import { isSignInLink, takeSignInCode } from '../../../api/sign-in-link.ts';
import { showToast, showErrorToast } from '../../../ui/overlays/toasts.tsx';

/** Signs in when the address is a sign-in link, also one that is opened while the page is open. */
export async function signInByLink(): Promise<void> {
  addEventListener('hashchange', () => {
    if (isSignInLink(location)) location.reload();
  });
  const code = takeSignInCode(location, history);
  if (code === null) return;
  try {
    await beginLocalSession(code);
    showToast('Signed in.');
    eventStream.start();
    eventStream.changeSession();
  } catch (error) {
    // The form for a token shows why a link is refused.
    if (!(error instanceof ApiError) || error.status !== 401) showErrorToast(error);
  }
}
