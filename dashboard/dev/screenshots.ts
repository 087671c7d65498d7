/** Pictures of every view, each at most 100 KB: node dev/screenshots.ts URL FOLDER [name] */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

const [base = 'http://127.0.0.1:4100', folder = '/tmp/shots', only] = process.argv.slice(2);
const PICTURE_MAX_BYTES = 100_000;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

type Shot = {
  name: string;
  path: string;
  scheme?: 'light' | 'dark';
  size?: typeof DESK;
  act?: (page: Page) => Promise<void>;
};

const SHOTS: Shot[] = [
  { name: 'overview-light', path: '/' },
  { name: 'overview-dark', path: '/', scheme: 'dark' },
  { name: 'overview-phone', path: '/', size: PHONE },
  { name: 'palette', path: '/', act: (page) => page.keyboard.press('/') },
  { name: 'keys', path: '/', act: (page) => page.keyboard.press('?') },
  { name: 'board-light', path: '/board' },
  { name: 'board-dark', path: '/board', scheme: 'dark' },
  { name: 'board-phone', path: '/board', size: PHONE },
  { name: 'feed-light', path: '/feed' },
  { name: 'feed-dark', path: '/feed', scheme: 'dark' },
  { name: 'feed-phone', path: '/feed', size: PHONE },
  { name: 'compare-light', path: '/issues/SY-12/compare' },
  { name: 'compare-dark', path: '/issues/SY-12/compare', scheme: 'dark' },
  { name: 'new-issue', path: '/board', act: (page) => page.keyboard.press('n') },
  { name: 'issue-light', path: '/issues/SY-12' },
  { name: 'issue-dark', path: '/issues/SY-12', scheme: 'dark' },
  { name: 'issue-phone', path: '/issues/SY-12', size: PHONE, scheme: 'dark' },
  { name: 'issue-failed', path: '/issues/SY-12?attempt=att-SY-12-1' },
  { name: 'issue-asking', path: '/issues/SY-14' },
  {
    name: 'issue-abort',
    path: '/issues/SY-12',
    act: (page) => page.getByRole('button', { name: 'Abort' }).click(),
  },
  { name: 'issue-timeline', path: '/issues/SY-12?view=timeline' },
  { name: 'issue-timeline-dark', path: '/issues/SY-12?view=timeline', scheme: 'dark' },
  { name: 'issue-changes', path: '/issues/SY-12?view=changes' },
  { name: 'issue-changes-dark', path: '/issues/SY-7?view=changes', scheme: 'dark' },
  { name: 'issue-changes-phone', path: '/issues/SY-12?view=changes', size: PHONE },
  {
    name: 'pause',
    path: '/',
    act: (page) => page.getByRole('button', { name: 'Pause all work' }).click(),
  },
  { name: 'issue-missing', path: '/issues/SY-999' },
  { name: 'requests', path: '/requests' },
  { name: 'requests-phone', path: '/requests', size: PHONE },
  { name: 'runners', path: '/runners' },
  {
    name: 'runners-add',
    path: '/runners',
    scheme: 'dark',
    act: (page) => page.getByRole('button', { name: 'Add a runner' }).click(),
  },
  { name: 'pull-requests', path: '/pull-requests' },
  { name: 'pull-request', path: '/pull-requests/pr-4' },
  { name: 'pull-request-dark', path: '/pull-requests/pr-4', scheme: 'dark' },
  { name: 'pull-request-phone', path: '/pull-requests/pr-4', size: PHONE },
  { name: 'setup', path: '/setup' },
  { name: 'setup-phone', path: '/setup', size: PHONE, scheme: 'dark' },
];

/** The page as WebP, as good as fits into a document. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  for (let quality = 88; ; quality -= 8) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length <= PICTURE_MAX_BYTES || quality <= 8) return bytes;
  }
}

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
for (const shot of SHOTS.filter((entry) => only === undefined || entry.name.startsWith(only))) {
  const page = await browser.newPage({
    viewport: shot.size ?? DESK,
    colorScheme: shot.scheme ?? 'light',
  });
  page.on(
    'console',
    (message) =>
      ['error', 'warning'].includes(message.type()) && console.log(shot.name, message.text()),
  );
  page.on('pageerror', (error) => console.log(shot.name, 'threw', error.stack));
  await page.goto(base + shot.path);
  await page.waitForSelector('main h1, main .identifier');
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
  await page.waitForTimeout(600);
  await shot.act?.(page);
  await page.waitForTimeout(shot.act ? 500 : 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  if (wide) console.log(shot.name, 'is wider than the window');
  writeFileSync(join(folder, `${shot.name}.webp`), await picture(page));
  await page.close();
}
await browser.close();
