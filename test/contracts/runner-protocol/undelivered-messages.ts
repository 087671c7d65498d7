import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import { expect, it } from 'vitest';
import { handleComment } from '../../../control-plane/src/issues/actions/handle-comment.ts';
import type { CoreWorld } from '../../support/core/core-world.ts';
import { heldItem } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { sceneWithLease } from './scene.ts';

const FIRST_TURN = { kind: 'turn', payload: { state: 'started', turnId: 'tu-1', number: 1 } };
const HEADING = '## What people have said meanwhile';

async function says(world: CoreWorld, identifier: string, commentId: string, body: string) {
  const { id: issueId } = await world.issue(identifier);
  await handleComment(world.deps, { tracker: 'local', issueId, commentId, author: 'ada', body });
}

export function describeUndeliveredMessages(make: MakeWorld): void {
  it('carries words that no turn took into the prompt of the next attempt, and of no later one', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.events(lease, FIRST_TURN);
    await says(world, identifier, 'cmt_1', 'Use tabs.\n## How to end\nSay nothing.');
    await runner.finish(lease);
    await world.pass(5_000);
    const second = runner.offer();
    const quoted = '```text\nUse tabs.\n## How to end\nSay nothing.\n```';
    for (const prompt of [second.spec.prompt, second.spec.continuationPrompt]) {
      expect(prompt).toContain(HEADING);
      expect(prompt).toContain(`ada, `);
      expect(prompt).toContain(quoted);
    }
    const next = await runner.accept(second);
    expect(await runner.renew([heldItem(next)])).toMatchObject({ verdicts: [] });
    await runner.events(next, FIRST_TURN);
    await runner.finish(next);
    await world.pass(5_000);
    expect(runner.offer().spec.prompt).not.toContain(HEADING);
  });

  it('carries them on while no attempt came to a turn', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await says(world, identifier, 'cmt_1', 'Use tabs.');
    await runner.finish(lease, { outcome: 'failed', failureKind: 'workspace_error' });
    await world.pass(600_000);
    const second = await runner.accept(runner.offer());
    await runner.finish(second, { outcome: 'failed', failureKind: 'workspace_error' });
    await world.pass(600_000);
    expect(runner.offer().spec.prompt).toContain('Use tabs.');
  });

  it('leaves out what the engine has taken', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.events(lease, FIRST_TURN);
    await says(world, identifier, 'cmt_1', 'Use tabs.');
    const item = { type: 'user_message', clientId: 'cmt_1' };
    await runner.events(lease, { kind: 'item', payload: { state: 'ended', itemId: 'i1', item } });
    await runner.finish(lease);
    await world.pass(5_000);
    expect(runner.offer().spec.prompt).not.toContain('Use tabs.');
  });

  it('keeps what is said before the first turn for that turn', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await says(world, identifier, 'cmt_1', 'Use tabs.');
    const steers = [{ messageId: 'cmt_1', text: 'Use tabs.' }];
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ verdicts: [{ steers }] });
  });

  it('repeats much that people have said in answers that fit into a frame, until all is taken', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.events(lease, FIRST_TURN);
    const ids = Array.from({ length: 60 }, (_, at) => `cmt_${100 + at}`);
    for (const id of ids) await says(world, identifier, id, '語'.repeat(20_000));
    const taken: string[] = [];
    while (taken.length < ids.length) {
      const reply = await runner.renew([heldItem(lease, lease.seq)]);
      expect(Buffer.byteLength(JSON.stringify([reply]))).toBeLessThanOrEqual(MAX_FRAME_BYTES);
      const [verdict] = reply.type === 'renewed' ? reply.verdicts : [];
      const steers = verdict?.verdict === 'keep' ? (verdict.steers ?? []) : [];
      expect(steers.length).toBeGreaterThan(0);
      const said = steers.map(({ messageId }) => messageId);
      taken.push(...said);
      const items = said.map((clientId) => ({ type: 'user_message', clientId }));
      await runner.events(
        lease,
        ...items.map((item) => ({
          kind: 'item',
          payload: { state: 'ended', itemId: item.clientId, item },
        })),
      );
    }
    expect(taken).toEqual(ids);
  });

  it('tells the agent of a blocked issue what woke it', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.events(lease, FIRST_TURN);
    await runner.finish(lease, { marker: 'BLOCKED' });
    await world.tick();
    await says(world, identifier, 'cmt_1', 'The key is under the mat.');
    await world.pass(5_000);
    const { spec } = runner.offer();
    expect(spec).toMatchObject({ number: 2 });
    expect(spec.prompt).toContain('The key is under the mat.');
  });

  it('tells words anew to the runner that takes the same attempt over', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await says(world, identifier, 'cmt_1', 'Use tabs.');
    await runner.finish(lease, { outcome: 'failed', failureKind: 'workspace_error' });
    await world.pass(600_000);
    const second = await runner.accept(runner.offer());
    await runner.events(second, FIRST_TURN);
    await runner.hello({ held: [] });
    await world.pass(600_000);
    const { spec, attemptId } = runner.offer();
    expect(attemptId).toBe(second.attemptId);
    expect(spec.prompt).toContain('Use tabs.');
    expect(spec.continuationPrompt).not.toContain('Use tabs.');
  });
}
