import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../chromium.ts';
import { type Bench, type BenchOptions, startBench } from '../e2e/start-bench.ts';
import { builtDashboard } from './built-dashboard.ts';
import { watchedPage } from './watched-page.ts';

const ACTION_TIMEOUT_MS = 45_000;
/** Nothing but the page itself may use the network, and no GPU is looked for. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A running service with a browser in front of it. */
export type OpenDashboard = {
  bench: Bench;
  context: BrowserContext;
  page: Page;
  problems: string[];
  close(): Promise<void>;
};

/** The caller closes it, also after a failed test; a start that fails cleans up by itself. */
export async function openDashboard(
  options: BenchOptions & { mayBeAway?: boolean; mayRefuse?: boolean; keepsPages?: boolean },
): Promise<OpenDashboard> {
  await builtDashboard();
  const [bench, browser] = await Promise.allSettled([
    startBench(options),
    launchChromium([], options),
  ]);
  const close = async () => {
    if (browser.status === 'fulfilled') await browser.value.close();
    if (bench.status === 'fulfilled') await bench.value.close();
  };
  try {
    if (bench.status === 'rejected') throw bench.reason;
    if (browser.status === 'rejected') throw browser.reason;
    const context = await browser.value.newContext({
      baseURL: bench.value.client.url,
      viewport: { width: 1440, height: 900 },
    });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    return { bench: bench.value, context, ...(await watchedPage(context, options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * With a profile of its own in a temporary folder, which ends with it. `keepsPages`: it keeps pages for
 * "back" as browsers of people do.
 */
export function launchChromium(
  flags: readonly string[] = [],
  { keepsPages = false } = {},
): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('no Chromium: see test/support/chromium.ts');
  return chromium.launch({
    executablePath,
    args: [...ARGS, ...flags],
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
  });
}
