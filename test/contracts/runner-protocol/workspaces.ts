import { expect, it, vi } from 'vitest';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { audit } from '../../../control-plane/src/db/schema/operation/audit.ts';
import { heldWorkspaces } from '../../../control-plane/src/db/schema/runners/held-workspaces.ts';
import { type CoreWorld } from '../../support/core/core-world.ts';
import type { ScriptedRunner } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { sceneWithLease } from './scene.ts';

type Call = ControlPlaneMessageOf<'call'>;
const HOOK = { SERVICE_CONFIG__hooks__beforeRemove: 'make clean' };

/** Calls to remove a workspace that have come since the last look; other messages are dropped. */
function removals(world: CoreWorld, runner: ScriptedRunner): Call[] {
  return world.core.sockets
    .take(runner.runnerId)
    .filter((message) => message.type === 'call')
    .filter(({ method }) => method === 'workspace.remove');
}

async function nextLook(world: CoreWorld, afterMs = 10_000): Promise<void> {
  await world.pass(afterMs);
}

async function answer(runner: ScriptedRunner, call: Call | undefined, value: { removed: boolean }) {
  const callId = call?.callId ?? '';
  await runner.send({ type: 'result', callId, ok: true, value });
}

const held = (world: CoreWorld) => world.deps.db.select().from(heldWorkspaces);
const heldUntil = (world: CoreWorld, rows: number) =>
  vi.waitFor(async () => expect(await held(world)).toHaveLength(rows), { timeout: 25_000 });

export function describeWorkspaces(make: MakeWorld): void {
  it('removes the workspace of an issue that was ended, after its attempt has stopped', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make, HOOK);
    await world.editIssue(identifier, { state: 'Done' });
    await nextLook(world);
    const messages = world.core.sockets.take(runner.runnerId);
    expect(messages.map(({ type }) => type)).toContain('cancel');
    expect(messages.map(({ type }) => type)).not.toContain('call');
    await runner.finish(lease, { outcome: 'cancelled' });
    await nextLook(world);
    const [call, ...others] = removals(world, runner);
    expect(others).toEqual([]);
    expect(call?.params).toMatchObject({ key: identifier, beforeRemove: 'make clean' });
    await answer(runner, call, { removed: true });
    await heldUntil(world, 0);
    const rows = (await world.deps.db.select().from(audit)).filter(
      ({ operation }) => operation === 'workspace.remove',
    );
    expect(rows).toMatchObject([{ subject: identifier, actor: 'service' }]);
    await nextLook(world, 600_000);
    expect(removals(world, runner)).toEqual([]);
  });

  it.each(['Backlog', 'In Review'] as const)(
    'keeps it when the issue moves to %s',
    async (state) => {
      const { world, runner, identifier, lease } = await sceneWithLease(make);
      await world.editIssue(identifier, { state });
      await world.tick();
      await runner.finish(lease, { outcome: 'cancelled' });
      await nextLook(world);
      await nextLook(world, 600_000);
      expect(removals(world, runner)).toEqual([]);
      expect(await held(world)).toHaveLength(1);
    },
  );

  it('waits for a runner that is away, and lets a refused removal rest before the next try', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE' });
    world.core.sockets.disconnect(runner.runnerId);
    await world.editIssue(identifier, { state: 'Canceled' });
    await nextLook(world);
    await nextLook(world, 3_600_000);
    await runner.hello({ held: [] });
    await nextLook(world);
    const [call] = removals(world, runner);
    const error = { code: 'in_use', message: 'used by an attempt' };
    await runner.send({ type: 'result', callId: call?.callId ?? '', ok: false, error });
    await vi.waitFor(() => expect(world.core.complaints.join()).toContain('could not be removed'), {
      timeout: 5_000,
    });
    await world.tick();
    expect(removals(world, runner)).toEqual([]);
    await nextLook(world);
    const [again] = removals(world, runner);
    await answer(runner, again, { removed: false });
    await heldUntil(world, 0);
  });

  it('goes on after a restart in the middle of a removal', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE' });
    await world.editIssue(identifier, { state: 'Done' });
    await nextLook(world);
    const [call] = removals(world, runner);
    expect(call).toBeDefined();
    // The call dies with the process that waits for it.
    await runner.send({ type: 'result', callId: call?.callId ?? '', ok: false });
    await world.restart();
    await runner.hello({ held: [] });
    await nextLook(world, 600_000);
    const [again] = removals(world, runner);
    await answer(runner, again, { removed: true });
    await heldUntil(world, 0);
  });

  it('spares the workspace of an issue that was taken up again meanwhile', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE' });
    await world.editIssue(identifier, { state: 'Done' });
    await nextLook(world);
    const [call] = removals(world, runner);
    await world.editIssue(identifier, { state: 'Todo' });
    await world.tick();
    const next = await runner.accept(runner.offer());
    await answer(runner, call, { removed: true });
    await world.tick();
    expect(await held(world)).toHaveLength(1);
    await nextLook(world, 15_000);
    expect(removals(world, runner)).toEqual([]);
    await runner.finish(next, { marker: 'DONE' });
    await world.editIssue(identifier, { state: 'Done' });
    await nextLook(world);
    expect(removals(world, runner)).toHaveLength(1);
  });

  it('forgets the workspaces of a runner that was revoked', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.finish(lease, { marker: 'DONE' });
    await world.revoke(runner.runnerId);
    await world.editIssue(identifier, { state: 'Done' });
    await nextLook(world);
    expect(await held(world)).toEqual([]);
  });
}
