import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';

/** A page that remembers whatever a person with open developer tools would be worried by. */
export type WatchedPage = {
  page: Page;
  /** Errors of the console, uncaught exceptions, refused content, dialogs; each with its text. */
  problems: string[];
};

/** Says every violation of the page's policy in the console, also one that only reports. */
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI));`;

/** How Chromium says that the service was not there; expected while it is stopped. */
const UNREACHABLE =
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/;

/** Another test on this machine has made or removed a network; pages have to live with that. */
const NETWORK_CHANGED = /net::ERR_NETWORK_CHANGED/;

/** How Chromium says that the service refused something. */
const REFUSED = /the server responded with a status of (4\d\d|50[1-3])/;

/** A move that would stop a run is refused first: the page asks a person then. */
const ASKED_ABOUT = /\/transition$/;

/**
 * `mayBeAway`: the test stops the service, so unanswered requests are no problem; `mayRefuse`: it
 * asks for what the service or an upstream refuses.
 */
export async function watchedPage(
  context: BrowserContext,
  { mayBeAway = false, mayRefuse = false } = {},
): Promise<WatchedPage> {
  const page = await context.newPage();
  const problems: string[] = [];
  await page.addInitScript(TELL_VIOLATIONS);
  page.on('console', (message) => {
    if (!isWorrying(message)) return;
    if (NETWORK_CHANGED.test(message.text())) return;
    if (/status of 409/.test(message.text()) && ASKED_ABOUT.test(message.location().url)) return;
    if (mayBeAway && UNREACHABLE.test(message.text())) return;
    if (mayRefuse && REFUSED.test(message.text())) return;
    problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, problems };
}

function isWorrying(message: ConsoleMessage): boolean {
  return message.type() === 'error' || message.type() === 'warning';
}
