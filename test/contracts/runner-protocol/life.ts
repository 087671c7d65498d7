import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { localComments } from '../../../control-plane/src/db/schema/work/local-issues.ts';
import { pullRequests } from '../../../control-plane/src/db/schema/work/pull-requests.ts';
import { attemptEvents } from '../../../control-plane/src/observe/events/queries.ts';
import { DELIVERY, note, scriptRunner } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';

export function describeLife(make: MakeWorld): void {
  it('goes from an issue over offer, grant and events to a pull request', async () => {
    const world = await make();
    const runner = scriptRunner(world, await world.join());
    await runner.hello();
    const identifier = await world.createIssue({ title: 'Add a page' });
    await world.tick();

    const offer = runner.offer();
    expect(offer).toMatchObject({ epoch: 1, expiresInMs: 15_000 });
    expect(offer.spec).toMatchObject({ number: 1, issue: { identifier, title: 'Add a page' } });
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued', attempt_count: 1 });

    const lease = await runner.accept(offer);
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'running',
      state: 'In Progress',
    });

    expect(await runner.events(lease, note('one'), note('two'))).toMatchObject({
      type: 'ack',
      upto: 2,
    });
    expect(
      await runner.events(lease, { kind: 'phase', payload: { phase: 'streaming' } }),
    ).toMatchObject({
      upto: 3,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ phase: 'streaming', last_seq: 3 });

    const finished = await runner.finish(lease, {
      marker: 'DONE',
      summary: 'Added it',
      delivery: DELIVERY,
    });
    expect(finished).toEqual({ type: 'finished', attemptId: lease.attemptId, epoch: 1 });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'running',
      phase: 'delivering',
    });
    await world.tick();

    const [pullRequest] = await world.deps.db.select().from(pullRequests);
    expect(pullRequest).toMatchObject({
      issue_identifier: identifier,
      status: 'open',
      branch: DELIVERY.branch,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'completed',
      outcome: 'completed',
    });
    await world.tick();
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ status: 'completed', state: 'In Review' });
    expect(issue.pull_request_url).toMatch(/^http/);
    const comments = await world.deps.db
      .select()
      .from(localComments)
      .where(eq(localComments.issue_id, issue.id));
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body).toContain('delivered');
    const events = await attemptEvents(world.deps.db, {
      attemptId: lease.attemptId,
      afterSeq: 0,
      limit: 100,
    });
    expect(events.flatMap((event) => event.data['runnerSeq'] ?? [])).toEqual([1, 2, 3]);
  });
}
