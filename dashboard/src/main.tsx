import './styles/index.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { render } from 'preact';
import { eventStream } from './api/event-stream.ts';
import { isReadAgain, readAgainAfterMs } from './api/read-query.ts';
import { keepStyles } from './keep-styles.ts';
import { signInByLink } from './features/shell/sign-in/sign-in-by-link.ts';
import { router } from './router.tsx';
import { keepFocus } from './ui/overlays/keep-focus.ts';
import { applyTheme, readTheme } from './ui/layout/theme.ts';
import { LimitedQueryClient } from './api/refused/request-limit.ts';

/** The stream keeps responses fresh; this only limits how long one can be stale unnoticed. */
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
// Draws in a separate task: between loading the code and the first drawing, the page can respond.
setTimeout(() => void draw());

async function draw(): Promise<void> {
  // The first view is read after the sign-in by link, so as the right caller.
  await known;
  // Starts before anything is read, so that no event in between is missed.
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
