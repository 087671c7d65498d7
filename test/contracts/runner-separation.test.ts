import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { runners } from '../../control-plane/src/db/schema/runners/runners.ts';
import { type CodeHost, CodeHostError } from '../../control-plane/src/ports/code-host/code-host.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { type Lease, type ScriptedRunner, scriptRunner } from '../support/core/scripted-runner.ts';

const SHOP = 'https://code.example/acme/shop.git';
const VAULT = 'https://code.example/acme/vault.git';
const LIB = 'https://code.example/acme/lib.git';

describe('what a runner may have of others’ work', () => {
  let world: CoreWorld;
  let asked: string[];
  let calls = 0;

  beforeEach(async () => {
    const repos = [
      { label: 'vault', url: VAULT, default_branch: 'main' },
      { prefix: 'SY', url: SHOP, default_branch: 'main', submodules: [LIB] },
    ];
    world = await createCoreWorld(openFramePeer, { SERVICE_CONFIG__repos: JSON.stringify(repos) });
    await world.deps.config.load();
    asked = [];
    const host: Partial<CodeHost> = {
      kind: 'other',
      serves: (url) => url.startsWith('https://code.example/'),
      gitCredentials: async (url) => {
        asked.push(url);
        return { username: 'service', password: 'of the whole account', expiresAtMs: null };
      },
    };
    world.deps.codeHosts = [host as CodeHost];
  });
  afterEach(() => world.close());

  async function runner(labels: string[] = []): Promise<ScriptedRunner> {
    const scripted = scriptRunner(world, await world.join(labels));
    await scripted.hello({ labels });
    return scripted;
  }

  async function credentials(who: ScriptedRunner, repositoryUrl: string): Promise<string> {
    world.core.sockets.take(who.runnerId);
    const callId = `call_g${(calls += 1)}`;
    const message = { type: 'call', method: 'git.credentials', timeoutMs: 5_000 } as const;
    await who.send({ ...message, callId, params: { repositoryUrl } });
    let found: ControlPlaneMessageOf<'result'> | undefined;
    await expect
      .poll(
        () =>
          (found ??= world.core.sockets
            .take(who.runnerId)
            .find((one) => one.type === 'result' && one.callId === callId) as typeof found),
      )
      .toBeDefined();
    if (found?.ok !== true) return found?.error?.code ?? 'none';
    return (found.value as { sealed: string | null }).sealed === null ? 'nothing' : 'sealed';
  }

  async function work(who: ScriptedRunner, labels: string[] = []): Promise<Lease> {
    await world.createIssue({ labels });
    await world.tick();
    return who.accept(who.offer());
  }

  it.each([
    [false, 'host_auth_failed'],
    [true, 'failed'],
  ])('tells whether trouble with credentials may pass (%s)', async (retryable, code) => {
    const holder = await runner();
    await work(holder);
    for (const host of world.deps.codeHosts)
      host.gitCredentials = () =>
        Promise.reject(new CodeHostError('it is not installed there', { retryable }));
    expect(await credentials(holder, SHOP)).toBe(code);
  });

  it('opens git credentials for the repository of a held attempt only', async () => {
    const holder = await runner();
    const idle = await runner(['other']);
    expect(await credentials(holder, SHOP)).toBe('REFUSED');
    await world.createIssue({ labels: ['runner:other'] });
    await world.tick();
    const [offer] = idle.offers();
    // An offer is no lease yet.
    expect(await credentials(idle, SHOP)).toBe('REFUSED');
    await idle.accept(offer as { attemptId: string; epoch: number });
    expect(await credentials(idle, SHOP)).toBe('sealed');
    expect(await credentials(idle, VAULT)).toBe('REFUSED');
    expect(await credentials(holder, SHOP)).toBe('REFUSED');
    expect(asked).toEqual([SHOP]);
  });

  it('opens them for the submodules that the route of a held attempt names, and no longer', async () => {
    const holder = await runner();
    const other = await runner(['other']);
    expect(await credentials(holder, LIB)).toBe('REFUSED');
    await world.createIssue();
    await world.tick();
    const offer = holder.offer();
    expect(offer.spec.repository).toMatchObject({ url: SHOP, submodules: [LIB] });
    const lease = await holder.accept(offer);
    expect(await credentials(holder, LIB)).toBe('sealed');
    expect(await credentials(other, LIB)).toBe('REFUSED');
    expect(await credentials(holder, VAULT)).toBe('REFUSED');
    expect(asked).toEqual([LIB]);
    await holder.finish(lease);
    expect(await credentials(holder, LIB)).toBe('REFUSED');
  });

  it('closes them with the attempt, the lease and the epoch', async () => {
    const holder = await runner();
    const lease = await work(holder);
    expect(await credentials(holder, SHOP)).toBe('sealed');
    world.clock.advance(
      world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs,
    );
    expect(await credentials(holder, SHOP)).toBe('REFUSED');
    await world.tick();
    await holder.hello();
    expect(await credentials(holder, SHOP)).toBe('REFUSED');
    const again = await holder.accept(await holder.offerAgain());
    expect(again.epoch).toBeGreaterThan(lease.epoch);
    expect(await credentials(holder, SHOP)).toBe('sealed');
    await holder.finish(again);
    expect(await credentials(holder, SHOP)).toBe('REFUSED');
  });

  it('opens them for a call that the runner is to answer, until it is over', async () => {
    const holder = await runner();
    const other = await runner(['other']);
    const params = { repository: { url: SHOP } };
    const call = world.deps.connections.call(holder.runnerId, 'git.context', params, 20_000);
    expect(await credentials(other, SHOP)).toBe('REFUSED');
    expect(await credentials(holder, VAULT)).toBe('REFUSED');
    expect(await credentials(holder, SHOP)).toBe('sealed');
    world.deps.connections.abandon(holder.runnerId);
    await expect(call).rejects.toThrow('went away');
    expect(await credentials(holder, SHOP)).toBe('REFUSED');
  });

  it('gives work, keys and tokens of a labelled issue to runners with the label only', async () => {
    const holder = await runner(['vault']);
    await world.createIssue({ labels: ['runner:vault', 'vault'] });
    await world.tick();
    const offer = holder.offer();
    // It comes back without the label: the offer is not its own any more.
    await holder.hello({ labels: [] });
    const answer = await holder.sendOne(holder.acceptMessage(offer));
    expect(answer).toMatchObject({ type: 'fence', code: 'LEASE_LOST' });
    expect(await world.issue('SY-1')).toMatchObject({
      status: 'queued',
      reason: 'waiting for a runner with the label vault',
    });
    await world.tick();
    expect(holder.offers()).toEqual([]);
    await holder.hello({ labels: ['vault'] });
    await world.tick();
    await holder.accept(holder.offer());
    expect(await credentials(holder, VAULT)).toBe('sealed');
  });

  it('never takes a label that the join token did not allow', async () => {
    const limited = await runner(['vault']);
    const allowed = { allowed_labels: ['shop'] };
    const mine = eq(runners.runner_id, limited.runnerId);
    await world.deps.db.update(runners).set(allowed).where(mine);
    await limited.hello({ labels: ['vault', 'shop', 'Vault ', 'runner:vault'] });
    const [row] = await world.deps.db.select().from(runners).where(mine);
    expect(row?.labels).toEqual(['shop']);
  });
});
