import './styles/index.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { render } from 'preact';
import { eventStream } from './api/event-stream.ts';
import { isReadAgain, readAgainAfterMs } from './api/read-query.ts';
import { LimitedQueryClient } from './api/refused/limited-query-client.ts';
import { keepStyles } from './keep-styles.ts';
import { signInByLink } from './features/shell/sign-in/sign-in-by-link.ts';
import { router } from './router.tsx';
import { keepFocus } from './ui/overlays/keep-focus.ts';
import { applyTheme, readTheme } from './ui/layout/theme.ts';

/** The stream keeps answers fresh; this only bounds how long one can go wrong unnoticed. */
const REFETCH_MS = 30_000;

const client = new LimitedQueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchInterval: REFETCH_MS,
      retry: isReadAgain,
      retryDelay: readAgainAfterMs,
    },
  },
});

keepStyles();
keepFocus();
applyTheme(readTheme());
const known = signInByLink();
// In a task of its own: between reading its code and drawing the first time, the page can answer.
setTimeout(() => void draw());

async function draw(): Promise<void> {
  // What the first view reads is read as whoever came by a sign-in link.
  await known;
  // Before anything is read: what happens after that is heard.
  eventStream.start();
  const container = document.getElementById('root');
  if (container === null) return;
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
    container,
  );
}
