import { afterEach, describe, expect, it } from 'vitest';
import { notifications } from '../../control-plane/src/db/schema/people/notifications.ts';
import { attemptStatus } from '@switchyard/shared/reasons/attempt-status';
import { attemptRecord } from '../../control-plane/src/attempts/attempt-record.ts';
import { abortIssue } from '../../control-plane/src/issues/actions/abort-issue.ts';
import { handleComment } from '../../control-plane/src/issues/actions/handle-comment.ts';
import { retryIssue } from '../../control-plane/src/issues/actions/retry-issue.ts';
import { createCoreWorld, PERSON } from '../support/core/core-world.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const make = async (variables?: Record<string, string>) => {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function comment(world: CoreWorld, identifier: string): Promise<string> {
  await world.tick();
  const { id } = await world.issue(identifier);
  const comments = (await world.deps.trackers.get('local')?.listComments?.(id, 10)) ?? [];
  return comments.map(({ body }) => body).join('\n');
}

describe('what people read of an attempt', () => {
  it('is the agent’s own words when it is blocked, in comment and notification', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'I need access to staging.' });
    expect(await comment(world, identifier)).toContain('I need access to staging.');
    const rows = await world.deps.db.select().from(notifications);
    expect(rows.map(({ message }) => message).join('\n')).toContain('I need access to staging.');
  });

  it('says that no changes were needed where nothing was delivered', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE', summary: 'All is well already.' });
    expect((await world.issue(identifier)).reason).toBe('done, no changes were needed');
    expect(await comment(world, identifier)).toContain('done, no changes were needed');
  });

  it('names who stopped it when nobody signed in, in one word', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    await abortIssue(world.deps, { identifier, caller: { ...PERSON, actor: 'local' } });
    const stopping = attemptRecord(await world.attempt(lease.attemptId), null);
    expect(attemptStatus(stopping).word).toBe('stopping');
    await runner.finish(lease, { outcome: 'cancelled' });
    const { reason } = await world.issue(identifier);
    expect(reason).toBe('stopped by the local user');
    const text = await comment(world, identifier);
    expect(text).toContain('**Switchyard**: stopped (attempt 1)');
    expect(text).toContain('Stopped by the local user.');
    expect(text).not.toMatch(/abort|cancel/i);
  });

  it('says who retried it, and nothing of a request', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'I need access.' });
    await retryIssue(world.deps, { identifier, caller: { ...PERSON, actor: 'Ada' } });
    expect((await world.issue(identifier)).reason).toBe('retried by Ada');
    expect(await comment(world, identifier)).toMatch(/Retried by Ada|running/);
  });

  it('says what a comment woke where the reason stands alone, as in a list', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'I need access.' });
    const { tracker, id: issueId } = await world.issue(identifier);
    await handleComment(world.deps, {
      tracker,
      issueId,
      commentId: 'c-1',
      author: 'Ada',
      body: 'You have it now.',
    });
    expect((await world.issue(identifier)).reason).toBe('comment by Ada');
  });

  it('holds no control characters and direction marks, and loses nothing behind them', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    const summary = 'one\u0000two \u001b[31mred\u001b[0m \u202ethree\u001b]0;open\nlast words';
    await runner.finish(lease, { marker: 'BLOCKED', summary });
    const text = await comment(world, identifier);
    expect(text).toContain('onetwo red three]0;open');
    expect(text).toContain('last words');
    const rows = await world.deps.db.select().from(notifications);
    const all = [text, ...rows.map(({ message }) => message)].join('\n');
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(all).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/);
  });

  it('says the same in a pull request, with all that the agent wrote', async () => {
    const { world, runner, lease, identifier } = await sceneWithLease(make);
    const summary = 'a\u0000b \u2066c\u001b[1m bold';
    await runner.finish(lease, { marker: 'DONE', summary, delivery: DELIVERY });
    await world.tick();
    const { current_attempt_id: attemptId } = await world.issue(identifier);
    expect(await world.attempt(attemptId ?? '')).toMatchObject({ summary: 'ab c bold' });
  });
});
