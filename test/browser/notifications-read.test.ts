import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NotificationList } from '@switchyard/shared/api/notification';
import { BLOCKED, fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;

const stage = new Stage(mouseHands);
let delivered = '';
let stuck = '';
beforeAll(async () => {
  const blocked = { match: 'case:stuck', script: () => say(BLOCKED) };
  await stage.begin({ script: byPrompt([blocked], fixFailingTest()), slots: 1 });
  const { client } = stage;
  delivered = (await client.createIssue({ title: 'Durations come out wrong' })).identifier;
  expect(await client.settled(delivered)).toMatchObject({ status: 'completed' });
  stuck = (await client.createIssue({ title: 'case:stuck' })).identifier;
  expect(await client.settled(stuck)).toMatchObject({ status: 'blocked' });
}, START_TIMEOUT_MS);
afterAll(() => stage.end());

const listed = () => stage.client.must<NotificationList>('GET', '/notifications');
const unreadOf = async (identifier: string) => {
  const { notifications } = await listed();
  return notifications.filter(({ read, issue }) => !read && issue?.identifier === identifier);
};

it('a notification is read by whoever goes where it leads', async () => {
  const { page } = stage;
  const { length: before } = await unreadOf(delivered);
  await stage.load('/notifications');
  const row = stage.row('Pull request').filter({ hasText: delivered });
  await row.first().getByRole('link', { name: 'Pull request' }).click();
  await page.waitForURL(/\/pull-requests\/pr_/);
  const isRead = async () => {
    const { notifications } = await listed();
    return notifications.find(({ type }) => type === 'pull_request_opened')?.read;
  };
  await expect.poll(isRead).toBe(true);
  expect((await unreadOf(delivered)).length).toBeLessThan(before);
  expect(await unreadOf(stuck)).not.toEqual([]);
});

it('what is told of the issue that is looked at is read, also while another one is', async () => {
  const { page, client } = stage;
  await client.must('POST', '/notifications/read-all');
  await client.must('POST', `/${delivered}/retry`);
  await client.settled(delivered);
  const [first, ...others] = await unreadOf(delivered);
  for (const { id } of others) await client.must('POST', `/notifications/${id}/read`);
  await stage.load(`/issues/${stuck}`);
  await page.getByRole('link', { name: 'Notifications 1 unread' }).waitFor();
  // The page learns of both at once: there are as many unread ones as before.
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/api\/v1\/notifications\?/, async (route) => {
    await held;
    await route.continue();
  });
  await client.must('POST', `/notifications/${first?.id}/read`);
  await client.must('POST', `/${stuck}/retry`);
  await client.settled(stuck);
  const [last, ...earlier] = await unreadOf(stuck);
  expect(last).toBeDefined();
  for (const { id } of earlier) await client.must('POST', `/notifications/${id}/read`);
  answer();
  await expect.poll(async () => (await listed()).unreadCount).toBe(0);
  await takePicture(page, 'issue-read');
});
