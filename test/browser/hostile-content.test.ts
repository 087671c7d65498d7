import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import {
  exec,
  reason,
  say,
  together,
} from '../../control-plane/src/platform/node/demo/scripted-provider/step.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const MARKUP = `<img src=x onerror="alert('in')"><script>alert('in')</script><b id="injected">bold</b>`;
const RTL = '\u202egnp.exe';
const TITLE = `${MARKUP} ${RTL}`;
const LONG = 'x'.repeat(60_000);
const OUTPUT = `\u001b[31mred\u001b[0m \u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007 ${MARKUP} \u0007${RTL}`;
const SUMMARY = `${MARKUP}

[run me](javascript:alert('in')) and [mail](data:text/html,<script>alert(1)</script>)
![x](https://tracker.invalid/pixel.png)

<iframe src="/"></iframe>

**Bold** and \`code\`

SWITCHYARD_STATUS: DONE`;

/** Prints what must not be believed, then a line too long for any screen, then says as much. */
const hostile: ReadyScript = ({ stepIndex }) => {
  if (stepIndex === 0) return together(reason(MARKUP), exec(printed(OUTPUT)));
  if (stepIndex === 1) return exec(`head -c 60000 /dev/zero | tr '\\0' x; echo; echo a > note.txt`);
  return say(SUMMARY);
};

/** A command that prints a text which no shell may read. */
function printed(text: string): string {
  return `echo ${Buffer.from(text).toString('base64')} | base64 -d`;
}

describe('what strangers and agents write', () => {
  let open: OpenDashboard;
  let identifier: string;
  beforeAll(async () => {
    open = await openDashboard({ script: hostile });
    const issue = await open.bench.client.createIssue({
      title: TITLE,
      description: `${MARKUP}\n${LONG}`,
      labels: [MARKUP.slice(0, 60)],
    });
    identifier = issue.identifier;
    await open.bench.client.comment(identifier, SUMMARY);
    const settled = await open.bench.client.settled(identifier);
    expect(settled).toMatchObject({ status: 'completed' });
  });
  afterAll(() => open?.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await open.page.screenshot({ path: `/tmp/fail-${task.id}.png` });
  });

  /** No element that only markup from outside could have made, and no page wider than the window. */
  async function expectHarmless(): Promise<void> {
    const strange = await open.page
      .locator('#injected, main img, main iframe, body script, a[href^="javascript:"], a[href^="data:"]')
      .count();
    expect(strange).toBe(0);
    const widths = 'document.documentElement.scrollWidth - window.innerWidth';
    expect(await open.page.evaluate<number>(widths)).toBeLessThanOrEqual(0);
    expect(open.problems).toEqual([]);
  }

  it('is a title like any other on the board', async () => {
    const { page } = open;
    await page.goto('/');
    const title = page.locator('.card h3').first();
    await title.waitFor();
    expect(await title.textContent()).toBe(TITLE);
    await expectHarmless();
  });

  it('is plain text in the log, without what a terminal would obey', async () => {
    const { page } = open;
    await page.goto(`/issues/${identifier}`);
    const log = page.getByRole('log');
    const command = log.getByRole('button', { name: /base64 -d/ });
    await command.waitFor();
    if ((await command.getAttribute('aria-expanded')) === 'false') await command.click();
    const text = log.locator('pre').filter({ hasText: 'red' }).first();
    await text.waitFor();
    expect(await text.textContent()).toContain(`red link ${MARKUP} ${RTL}`);
    expect(await text.textContent()).not.toContain('\u001b');
    const long = log.getByRole('button', { name: /dev\/zero/ });
    await long.scrollIntoViewIfNeeded();
    if ((await long.getAttribute('aria-expanded')) === 'false') await long.click();
    await log.locator('pre').filter({ hasText: 'xxxxx' }).first().waitFor();
    await expectHarmless();
  });

  it('is formatted, but neither markup nor script, in comments', async () => {
    const { page } = open;
    const comment = page.locator('.comments li').filter({ hasText: 'Bold' }).first();
    await comment.waitFor();
    await expectHarmless();
  });

  it('and in a pull request', async () => {
    const { page, bench } = open;
    const pullRequest = await bench.client.pullRequestOf(identifier);
    await page.goto(`/pull-requests/${pullRequest.id}`);
    await page.getByText('note.txt').first().waitFor();
    await expectHarmless();
  });
});
