import { createHash } from 'node:crypto';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Artifact } from '@switchyard/shared/evidence/artifact';
import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { makePng } from '../support/browser/make-png.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import {
  DELIVERY,
  eventsMessage,
  finishMessage,
  heldItem,
  type Lease,
  numbered,
} from '../support/core/scripted-runner.ts';
import { type SocketLine, SocketRunner } from '../support/core/socket-runner.ts';
import { until } from '../support/e2e/until.ts';

const START_TIMEOUT_MS = 180_000;
const ANSWER_TIMEOUT_MS = 30_000;
const SCOPE = ['src/**', 'docs/*.md'];
const FOLDER = 'test-results';
const WIDTH_PX = 320;
const HTML = '<!doctype html><title>Report</title><script>document.title="ran"</script>';
const TOKENS = { input: 1_000, cachedInput: 0, output: 234, reasoning: 0, total: 1_234 };
const LONG_NAME = `settings-saves-${'and-shows-'.repeat(6)}chromium/retry-1.zip`;
const QUESTION = {
  id: 'q-1',
  header: 'Rounding',
  question: 'Round <b>up</b> or down?',
  options: [],
  isSecret: false,
};

describe('the evidence of how work was made', () => {
  const stage = new Stage(mouseHands);
  let runner: SocketRunner;
  let line: SocketLine;
  let lease: Lease;
  let renewing: ReturnType<typeof setInterval>;
  let before = '';
  let identifier = '';
  let files: Artifact[] = [];
  const panel = () => stage.region('Evidence');
  const kept = () => stage.region('Files for review');

  beforeAll(async () => {
    await stage.begin({ script: fixFailingTest(), mayRefuse: true });
    const { client } = stage;
    before = (await client.createIssue({ title: 'Durations come out wrong' })).identifier;
    expect(await client.settled(before)).toMatchObject({ status: 'completed' });
    const [route] = (await routes()) as [RepoRoute];
    await client.must('PUT', '/setup/repo-route/0', { ...route, repository_servers: true });
    const [builtIn] = await client.runners();
    await client.must('POST', `/runners/${builtIn?.runnerId}/drain`, {});
    runner = await SocketRunner.join(client, 'witness');
    line = await runner.connect();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    clearInterval(renewing);
    runner?.close();
    await stage.end();
  });

  async function routes(): Promise<RepoRoute[]> {
    const answer = await stage.client.must<{ routes: RepoRoute[] }>('GET', '/setup/repo-routes');
    return answer.routes;
  }

  /** What a runner says of its attempt, stored before the page is asked about it. */
  async function tell(kind: string, payload: Record<string, unknown>): Promise<void> {
    const items = numbered(lease, [{ kind, payload }], Date.now());
    line.say(eventsMessage(lease, items));
    await line.next('ack');
    lease.seq += items.length;
    lease.digest = await extendDigest(lease.digest, items);
  }

  /** Begins an attempt of a new issue. */
  async function begin(title: string): Promise<void> {
    identifier = (await stage.client.createIssue({ title })).identifier;
    await take();
  }

  /** Takes the attempt that is offered. */
  async function take(): Promise<void> {
    const { attemptId, epoch } = await line.next('offer');
    line.say({ type: 'accept', ref: `accept-${attemptId}`, attemptId, epoch });
    const { attemptToken } = await line.next('granted');
    lease = { attemptId, epoch, token: attemptToken, seq: 0, digest: EMPTY_DIGEST };
    clearInterval(renewing);
    const held = { ...lease };
    renewing = setInterval(() => {
      const slots = { total: 1, free: 0 };
      line.say({ type: 'renew', ref: `renew-${attemptId}`, held: [heldItem(held, 0)], slots });
    }, RENEW_MS);
  }

  async function end(changes: Parameters<typeof finishMessage>[1]): Promise<void> {
    clearInterval(renewing);
    await line.sayUntil(() => finishMessage(lease, { delivery: DELIVERY, ...changes }), 'finished');
  }

  /** What a runner tells of a file; it is not stored. */
  function fileOf(path: string, type: Artifact['type'], body: Uint8Array): Artifact {
    const sha256 = createHash('sha256').update(body).digest('hex');
    const { attemptId, epoch } = lease;
    const blob = `attempts/${attemptId}/${epoch}/artifact-${sha256.slice(0, 32)}`;
    return { path, type, bytes: body.byteLength, sha256, blob };
  }

  async function store(path: string, type: Artifact['type'], body: Uint8Array<ArrayBuffer>) {
    const file = fileOf(path, type, body);
    const answer = await stage.client.send(
      file.blob.replace(/^attempts/, '/api/v1/runners/blobs'),
      { method: 'PUT', headers: { authorization: `Bearer ${lease.token}` }, body },
    );
    expect(answer.status).toBe(201);
    return file;
  }

  it('is declared in a form that says what is wrong with it', async () => {
    const { page } = stage;
    await stage.load('/repositories');
    await stage.button(/^Evidence of /).click();
    const dialog = stage.dialog('Evidence of');
    const save = dialog.getByRole('button', { name: 'Save' });
    await dialog.getByLabel('Scope').fill('src/**\n\n/etc/**');
    await dialog.getByLabel('Folder for files').fill('../outside');
    await save.click();
    await dialog.getByText('/etc/**: must be a glob below the repository').waitFor();
    await dialog.getByText('must be a path below the repository').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'evidence-refused');
    await dialog.getByLabel('Scope').fill(`${SCOPE.join('\n')}\n`);
    await dialog.getByLabel('Folder for files').fill(FOLDER);
    await dialog.getByLabel('In pull requests').selectOption('full');
    await expectReachableByKeyboard(page);
    await takePicture(page, 'evidence-form');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Scope: src/**, docs/*.md').waitFor();
    await page.getByText('Files in test-results are kept for review').waitFor();
    await takePicture(page, 'evidence-listed');
    expect(await routes()).toMatchObject([
      { repository_servers: true, scope: SCOPE, artifacts: FOLDER, evidence: 'full' },
    ]);
  });

  it('is taken out of a route again, which keeps all else', async () => {
    const { page } = stage;
    const [declared] = (await routes()) as [RepoRoute];
    const { scope: _scope, artifacts: _artifacts, evidence: _evidence, ...others } = declared;
    await stage.button(/^Evidence of /).click();
    const dialog = stage.dialog('Evidence of');
    expect(await dialog.getByLabel('Scope').inputValue()).toBe(SCOPE.join('\n'));
    expect(await dialog.getByLabel('Folder for files').inputValue()).toBe(FOLDER);
    await dialog.getByLabel('Scope').fill('');
    await dialog.getByLabel('Folder for files').fill('');
    await dialog.getByLabel('In pull requests').selectOption('brief');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Scope: src/**').waitFor({ state: 'detached' });
    expect(await routes()).toEqual([others]);
    await stage.client.must('PUT', '/setup/repo-route/0', declared);
  });

  it('has no files where none were left', async () => {
    const { page, client } = stage;
    await stage.load(`/issues/${before}`);
    await stage.region('Attempt 1').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await kept().count()).toBe(0);
    await stage.load(`/pull-requests/${(await client.pullRequestOf(before)).id}`);
    await panel().getByText('Usage').waitFor();
    for (const part of ['Scope', 'Questions', 'Files'])
      expect(await panel().getByText(part, { exact: true }).count()).toBe(0);
  });

  it('has the files of an attempt as soon as they are kept, without being asked for', async () => {
    const { page } = stage;
    await begin('Round them down');
    await stage.load(`/issues/${identifier}`);
    await stage.region('Attempt 1').waitFor();
    // The panel has its name already while it waits for the first response.
    await kept().waitFor({ state: 'detached' });
    const large = Buffer.from(makePng(WIDTH_PX, 200));
    files = [
      await store('screens/home page.png', 'image/png', large),
      fileOf('screens/gone.png', 'image/png', Buffer.from('gone')),
      await store('run.log', 'text/plain', Buffer.from('3 of 3 passed\n')),
      await store('report.html', 'text/plain', Buffer.from(HTML)),
      fileOf('trace.zip', 'application/octet-stream', Buffer.from('trace')),
      fileOf(LONG_NAME, 'application/octet-stream', Buffer.from('trace of a retry')),
    ];
    await tell('artifacts', { files, leftOut: 2 });
    const picture = kept().getByRole('img', { name: 'screens/home page.png' });
    await expect
      .poll(() => picture.evaluate((one) => (one as { naturalWidth?: number }).naturalWidth))
      .toBe(WIDTH_PX);
    await kept().getByText('no longer kept').waitFor();
    await kept().getByText('2 more files were not kept').waitFor();
    await page.getByText('6 files kept for review · 2 beyond the limits').waitFor();
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'evidence-issue');
  });

  it('opens a picture beside the page, and runs nothing of what an agent wrote', async () => {
    const { page } = stage;
    const { context } = stage.open;
    const opened = context.waitForEvent('page');
    await kept().getByRole('link', { name: 'screens/home page.png' }).click();
    const picture = await opened;
    await picture.waitForLoadState();
    expect(picture.url()).toContain(files[0]?.sha256);
    await picture.close();
    for (const name of ['report.html', 'run.log']) {
      const saved = page.waitForEvent('download');
      await kept()
        .getByRole('link', { name: `Download ${name}` })
        .click();
      expect((await saved).suggestedFilename()).toBe(name);
    }
    const read = context.waitForEvent('page');
    await kept().getByRole('link', { name: 'Open report.html' }).click();
    const text = await read;
    await text.waitForLoadState();
    expect(await text.evaluate('document.body.innerText')).toContain('<script>');
    expect(await text.title()).not.toBe('ran');
    await text.close();
  });

  it('says of a file that is gone that it is, and stays on its page', async () => {
    const { page } = stage;
    const at = page.url();
    const row = kept().getByRole('listitem').filter({ hasText: 'trace.zip' });
    await row.getByRole('link').click();
    await row.getByText('no longer kept').waitFor();
    expect(page.url()).toBe(at);
  });

  it('stands on the page of the pull request', async () => {
    const { page, client } = stage;
    await tell('usage', { totals: TOKENS, own: TOKENS });
    await tell('request', { requestId: 'r-1', turnId: 't-1', questions: [QUESTION] });
    const [asked] = await until(
      () => client.requests(),
      (all) => all.length > 0,
      { what: 'the question', timeoutMs: ANSWER_TIMEOUT_MS },
    );
    const answers = { [QUESTION.id]: ['Down'] };
    await client.must('POST', `/requests/${asked?.requestId}/answer`, { answers });
    await line.next('answer');
    await end({ outcome: 'failed', failureKind: 'agent_error', message: 'It fell over.' });
    await client.must('POST', `/${identifier}/retry`, {});
    await take();
    const stored = await store('after.png', 'image/png', Buffer.from(makePng(WIDTH_PX, 200)));
    await tell('artifacts', { files: [stored], leftOut: 0 });
    const paths = ['package.json', 'scripts/a\u200bb.js'];
    await end({ marker: 'DONE', delivery: { ...DELIVERY, outsideScope: { files: 3, paths } } });
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    await stage.load(`/pull-requests/${(await client.pullRequestOf(identifier)).id}`);
    const outside = panel().getByText('3 changed files outside the declared scope');
    await outside.click();
    await panel().getByText('scripts/a[U+200B]b.js').waitFor();
    await panel().getByText('and 1 more file').waitFor();
    await panel().getByText('1.2k tokens').waitFor();
    await panel().getByText('Round <b>up</b> or down?').waitFor();
    await panel().getByText('Down', { exact: true }).waitFor();
    await panel()
      .getByText(/^Answered by you/)
      .waitFor();
    await panel().getByRole('img', { name: 'after.png' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'evidence-pull-request');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await takePicture(page, 'evidence-pull-request-dark');
    await expectReachableByKeyboard(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await panel()
      .getByRole('link', { name: /Attempt #1 Failed/ })
      .click();
    await kept().getByText('report.html').first().waitFor();
    expect(await kept().getByText('after.png').count()).toBe(0);
  });

  it('is asked for of the attempt that is shown, and of no other', async () => {
    const { page, client } = stage;
    const asked: string[] = [];
    page.on('request', (request) => {
      const of = /attempts\/([^/]+)\/evidence$/.exec(request.url())?.[1];
      if (of !== undefined) asked.push(of);
    });
    const [newest, first] = (await client.issue(identifier)).attempts;
    await stage.load(`/issues/${identifier}`);
    await kept().getByRole('img', { name: 'after.png' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(new Set(asked)).toEqual(new Set([newest?.attemptId]));
    await page.getByRole('complementary').getByRole('link', { name: '#1' }).click();
    await kept().getByRole('link', { name: 'Download report.html' }).waitFor();
    expect(new Set(asked)).toEqual(new Set([newest?.attemptId, first?.attemptId]));
  });

  it('fits a phone, in the dark too', async () => {
    const { context, bench } = stage.open;
    const phone = await context.browser()?.newPage({
      baseURL: bench.client.url,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    });
    if (phone === undefined) throw new Error('the browser is gone');
    const fits = async (name: string) => {
      const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await phone.evaluate<number>(overhang)).toBeLessThanOrEqual(0);
      await expectAccessible(phone, name);
      await takePicture(phone, `evidence-phone-${name}`);
    };
    const [, first] = (await bench.client.issue(identifier)).attempts;
    await phone.goto(`/issues/${identifier}?attempt=${first?.attemptId}`);
    const download = phone.getByRole('link', { name: 'Download report.html' });
    expect((await download.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    // Nobody can point at a name that is cut.
    const name = phone.locator('.kept-name').filter({ hasText: LONG_NAME });
    const cut = await name.evaluate((one) => {
      const { scrollWidth = 0, clientWidth = 0 } = one as Record<string, number | undefined>;
      return scrollWidth - clientWidth;
    });
    expect(cut).toBe(0);
    await fits('issue');
    await phone.goto(`/pull-requests/${(await bench.client.pullRequestOf(identifier)).id}`);
    const shown = phone.getByRole('region', { name: 'Evidence' });
    const outside = shown.locator('summary').first();
    await outside.click();
    expect((await outside.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await fits('pull-request');
    // As narrow as a phone gets.
    await phone.setViewportSize({ width: 320, height: 844 });
    const rightOf = (one: Locator) => one.boundingBox().then((box) => box && box.x + box.width);
    const mark = await rightOf(outside.locator('.status'));
    expect(mark).toBeLessThan((await rightOf(shown)) ?? 0);
    await phone.setViewportSize({ width: 390, height: 844 });
    await phone.goto('/repositories');
    await phone.getByText('Full evidence in pull requests').waitFor();
    await fits('repositories');
    await phone.getByRole('button', { name: /^Evidence of / }).click();
    await phone
      .getByRole('dialog', { name: /^Evidence of / })
      .getByLabel('Scope')
      .waitFor();
    await fits('form');
    await phone.close();
  });

  it('worried nobody with open developer tools', () => expect(stage.open.problems).toEqual([]));
});
