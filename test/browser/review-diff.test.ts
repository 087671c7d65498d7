import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPatch, exec, say } from '../../control-plane/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { Stage } from '../support/browser/stage.ts';

const START_TIMEOUT_MS = 180_000;
const PATCH = `*** Begin Patch
*** Add File: src/greet.ts
+/** Says hello. */
+export function greet(name: string): string {
+  return \`Hello \${name}, \${42} times\`;
+}
*** Add File: src/worst.css
+a { color: red; }
*** Update File: package.json
@@
-{
+{
+  "license": "Apache-2.0",
*** End Patch
`;

/** A new name that git quotes in patches, and a file that changes its mode only. */
const NAMED = `printf 'hi\\n' >'src/日本 "ü".md' && chmod +x test/format-duration.test.js && ls src`;

describe('a change to review', () => {
  const stage = new Stage(mouseHands);
  let delivered = '';
  let address = '';
  const file = (path: string) =>
    stage.page.locator('.diff-file').filter({ has: stage.page.getByText(path, { exact: true }) });
  const focusedPath = () =>
    stage.page.evaluate<string>(
      `document.activeElement?.closest('.diff-file')?.querySelector('.diff-path')?.textContent ?? ''`,
    );

  beforeAll(async () => {
    await stage.begin({
      script: ({ stepIndex }) => {
        if (stepIndex === 0) return applyPatch(PATCH);
        if (stepIndex === 1) return exec(NAMED);
        return say('Greets.\n\nSWITCHYARD_STATUS: DONE');
      },
      slots: 1,
    });
    delivered = (await stage.client.createIssue({ title: 'Greet people' })).identifier;
    expect(await stage.client.settled(delivered)).toMatchObject({ status: 'completed' });
    address = `/pull-requests/${(await stage.client.pullRequestOf(delivered)).id}`;
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  it.each([
    { width: 1280, height: 800, hasTouch: false },
    { width: 390, height: 844, hasTouch: true },
  ])('has no second plus beside its lines at $width px', async ({ hasTouch, ...viewport }) => {
    const { context, bench } = stage.open;
    const browser = context.browser();
    if (browser === null) throw new Error('the browser is gone');
    const page = await browser.newPage({ viewport, hasTouch, baseURL: bench.client.url });
    await page.goto(address);
    const sign = page.getByRole('button', { name: 'Comment line 2 of src/greet.ts' });
    await sign.waitFor();
    await sign.hover();
    // A plus is what stands beside a line that was added.
    expect(await sign.locator('.icon-plus').count()).toBe(0);
    expect(await sign.locator('.icon-message').count()).toBe(1);
    await expectAccessible(page);
    await takePicture(page, `comment-sign-${viewport.width}`);
    await page.close();
  });

  it('has the colours of its languages', async () => {
    const { page } = stage;
    await stage.load(address);
    const code = file('src/greet.ts').locator('.diff-code');
    await code.locator('.token.keyword').filter({ hasText: 'export' }).first().waitFor();
    await code.locator('.token.comment').first().waitFor();
    await file('package.json').locator('.token.property').first().waitFor();
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
  });

  it('names files as they are, and says what becomes of modes', async () => {
    const { page } = stage;
    const added = file('src/日本 "ü".md');
    await added.locator('.tag').getByText('added').waitFor();
    await added.getByText('hi', { exact: true }).waitFor();
    const tree = page.getByRole('navigation', { name: 'Changed files' });
    await tree.getByRole('button', { name: '日本 "ü".md' }).click();
    const chmod = file('test/format-duration.test.js');
    await chmod.getByText('now executable').waitFor();
    await chmod.getByText('Mode 100644 → 100755').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'names-and-modes');
  });

  it('stands below each other or side by side, and stays as chosen', async () => {
    const { page } = stage;
    expect(await page.locator('.diff-split').count()).toBe(0);
    await stage.button('Side by side').click();
    await file('package.json').locator('.diff-split').waitFor();
    await expectAccessible(page);
    await page.reload();
    await file('package.json').locator('.diff-split').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await file('package.json').locator('.diff-unified').waitFor();
    const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
    expect(await page.evaluate<number>(overhang)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await stage.button('Unified').click();
    await file('package.json').locator('.diff-unified').waitFor();
  });

  it('is gone through file by file with keys, and remembers what was viewed', async () => {
    const { page } = stage;
    await page.keyboard.press('j');
    await expect.poll(focusedPath).toBe('package.json');
    await page.keyboard.press('x');
    await page.getByText('1 of 5 files viewed').waitFor();
    await file('package.json').locator('.hunks').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await expect.poll(focusedPath).toBe('src/greet.ts');
    await page.keyboard.press('k');
    await expect.poll(focusedPath).toBe('package.json');
    await page.reload();
    await page.getByText('1 of 5 files viewed').waitFor();
    await file('package.json')
      .getByRole('button', { name: 'Viewed package.json', pressed: true })
      .click();
    await page.getByText('0 of 5 files viewed').waitFor();
    await file('package.json').locator('.hunks').waitFor();
  });

  it.each([
    [503, 'Comment sent, but not retried: The database is away.'],
    // The comment has woken it already.
    [409, 'Comment sent; retrying.'],
  ])('says what became of the retry that was answered with %i', async (status, words) => {
    const { page, client } = stage;
    await stage.load(address);
    await page.getByRole('button', { name: 'Comment line 2 of src/greet.ts' }).click();
    await page.getByRole('textbox', { name: 'Comment on this line' }).fill(`Why ${status}?`);
    await stage.button('Add comment').click();
    const retry = `**/api/v1/${delivered}/retry`;
    await page.route(retry, (route) =>
      route.fulfill({ status, json: { error: 'The database is away.', code: 'unavailable' } }),
    );
    await stage.button('Send and retry').click();
    await stage.said(words);
    await page.unroute(retry);
    await expect
      .poll(async () => (await client.comments(delivered)).map(({ body }) => body).join())
      .toContain(`Why ${status}?`);
    await page.getByText('Why ' + status).waitFor({ state: 'detached' });
    // The browser itself notes a refused request.
    stage.open.problems.splice(0);
  });

  it('takes a comment on a line, keeps it over a reload, and sends it to the agent', async () => {
    const { page, client } = stage;
    const plus = page.getByRole('button', { name: 'Comment line 3 of src/greet.ts' });
    await plus.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Why 42?');
    await stage.button('Add comment').click();
    await page.reload();
    await file('src/greet.ts').getByText('Why 42?').waitFor();
    await stage.load(`/issues/${delivered}?view=changes`);
    await file('src/greet.ts').getByText('Why 42?').waitFor();
    await stage.load(address);
    await expectAccessible(page);
    await stage.button('Send and retry').click();
    await stage.said('Comment sent; retrying.');
    await expect
      .poll(async () => (await client.comments(delivered)).map(({ body }) => body).join())
      .toContain('src/greet.ts:3\n> return `Hello');
    expect(stage.open.problems).toEqual([]);
  });
});
