import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { openDashboard } from '../support/browser/open-dashboard.ts';
import { runCommand, say as tell } from '../support/command/run-command.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';

// `npm run screenshots [-- NAME,NAME]`: pictures of every view, of a real service at work.
const FOLDER = join(repositoryRoot, 'docs', 'images', 'views');
const PICTURE_MAX_BYTES = 100_000;
const DESK = { width: 1280, height: 800 };
const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: DESK },
  { look: 'dark', colorScheme: 'dark', viewport: DESK },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

const CONFIG = {
  automations: JSON.stringify([
    { name: 'nightly', schedule: '0 3 * * *', mode: 'implement', prompt: 'Look for loose ends' },
  ]),
  'alerts.rules': JSON.stringify([
    {
      name: 'attempts fail',
      condition: { event: 'attempt.ended', outcome: 'failed' },
      threshold: 3,
      windowMs: 600_000,
    },
  ]),
};

/** Every view with its address; `done` is the issue that became a pull request. */
function views(done: string, pullRequest: string): [name: string, path: string][] {
  return [
    ['overview', '/'],
    ['board', '/board'],
    ['issue', `/issues/${done}`],
    ['changes', `/issues/${done}?view=changes`],
    ['timeline', `/issues/${done}?view=timeline`],
    ['compare', `/issues/${done}/compare`],
    ['feed', '/feed'],
    ['inbox', '/requests'],
    ['pull-requests', '/pull-requests'],
    ['pull-request', `/pull-requests/${pullRequest}`],
    ['merge-queue', '/merge-queue'],
    ['runners', '/runners'],
    ['costs', '/costs'],
    ['notifications', '/notifications'],
    ['automations', '/automations'],
    ['alerts', '/alerts'],
    ['templates', '/templates'],
    ['repositories', '/repositories'],
    ['configuration', '/config?section=agent'],
    ['secrets', '/secrets'],
    ['webhooks', '/deliveries'],
    ['workspaces', '/workspaces'],
    ['audit', '/audit'],
    ['engine', '/engine'],
    ['setup', '/setup'],
    ['api-explorer', '/api/docs'],
  ];
}

/** The page as WebP, as good as fits into a document. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  for (let quality = 86; ; quality -= 8) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length <= PICTURE_MAX_BYTES || quality <= 8) return bytes;
  }
}

async function settle(page: Page, path: string): Promise<void> {
  await page.goto(path);
  if (path === '/api/docs') return page.waitForTimeout(4_000);
  await page.locator('main h1').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  // For what fades in.
  await page.waitForTimeout(500);
}

async function main(): Promise<boolean> {
  const [only] = process.argv.slice(2);
  const scripts = [
    { match: 'Pick a colour', script: asksQuestion },
    { match: 'Count the sheep', script: () => exec('sleep 600', 30_000) },
    { match: 'Say nothing', script: () => say('I do not know how.\n\nSWITCHYARD_STATUS: BLOCKED') },
  ];
  const open = await openDashboard({
    script: byPrompt(scripts, fixFailingTest()),
    slots: 2,
    config: CONFIG,
  });
  try {
    const { client } = open.bench;
    const settled = async (title: string) => {
      const { identifier } = await client.createIssue({ title });
      await client.settled(identifier);
      return identifier;
    };
    const done = await settled('Durations come out wrong');
    await settled('Say nothing about the rest');
    await client.must('POST', `/${done}/retry`);
    await client.settled(done);
    await client.createIssue({ title: 'Pick a colour for the button' });
    const running = await client.createIssue({ title: 'Count the sheep' });
    await client.commandRunning(running.identifier);
    await client.createIssue({ title: 'Write the handbook', state: 'Backlog' });
    const { id } = await client.pullRequestOf(done);
    await mkdir(FOLDER, { recursive: true });
    const browser = open.context.browser();
    const problems: string[] = [];
    for (const { look, ...shown } of LOOKS) {
      const page = await browser?.newPage({ ...shown, baseURL: client.url });
      if (page === undefined) throw new Error('the browser is gone');
      for (const [name, path] of views(done, id)) {
        if (only !== undefined && !only.split(',').includes(name)) continue;
        await settle(page, path);
        const wide = await page.evaluate<boolean>(
          'document.documentElement.scrollWidth > innerWidth',
        );
        if (wide) problems.push(`${name} is wider than the ${look} window`);
        await writeFile(join(FOLDER, `${name}-${look}.webp`), await picture(page));
      }
      await page.close();
      tell(`${look}: done`);
    }
    for (const problem of problems) tell(problem);
    return problems.length === 0;
  } finally {
    await open.close();
  }
}

await runCommand('screenshots', main);
