import { afterEach, describe, expect, it } from 'vitest';
import { deleteSecret } from '../../control-plane/src/config/secrets/delete-secret.ts';
import { rotateMasterKey } from '../../control-plane/src/config/secrets/rotate-master-key.ts';
import { setSecret } from '../../control-plane/src/config/secrets/set-secret.ts';
import { createConfigStore } from '../../control-plane/src/config/create-config-store.ts';
import { learningSecrets } from '../../control-plane/src/config/secrets/learning-secrets.ts';
import { addRepoRoute } from '../../control-plane/src/admin/setup/repositories/add-repo-route.ts';
import { patchOverlay } from '../../control-plane/src/config/overlay/patch-overlay.ts';
import { storeSettings } from '../../control-plane/src/admin/setup/store-settings.ts';
import { type CoreWorld, createCoreWorld, PERSON } from '../support/core/core-world.ts';
import { dumpTables } from '../support/core/dump-tables.ts';
import { storeUnchecked } from '../support/core/store-unchecked.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { scriptRunner } from '../support/core/scripted-runner.ts';

const KEY = 'sk-known-to-nobody-else';
const REFERENCE = { SERVICE_CONFIG__engine__provider__apiKey: '$SECRET:MODEL_KEY' };
const worlds: CoreWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function sceneWithJoined(
  variables: Record<string, string>,
  isolation: 'docker' | 'process' = 'process',
) {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  const joined = await world.join();
  const runner = scriptRunner(world, joined);
  await runner.hello({ isolation });
  const accept = async (offer = runner.offer()) => {
    const granted = await runner.sendOne(runner.acceptMessage(offer));
    if (granted.type !== 'granted') throw new Error(`not granted: ${granted.type}`);
    const { sealedSecrets } = granted;
    return sealedSecrets === undefined ? null : joined.identity.open(sealedSecrets);
  };
  return { world, runner, accept };
}

describe("the provider's key as a secret", () => {
  it('holds work back until it is stored, then reaches the runner alone', async () => {
    const { world, runner, accept } = await sceneWithJoined(REFERENCE);
    const identifier = await world.createIssue();
    await world.tick();
    expect(runner.offers()).toEqual([]);
    const { reason } = await world.issue(identifier);
    expect(reason).toMatch(/stands for the secret MODEL_KEY, which is not stored/);
    await setSecret(world.deps, { caller: PERSON, key: 'MODEL_KEY', value: KEY });
    await world.tick();
    expect(await accept()).toEqual({ providerApiKey: KEY });
    const seen = JSON.stringify([await dumpTables(world.deps.db), world.core.complaints]);
    expect(seen).not.toContain(KEY);
  });

  it('survives a restart and a rotation of the master key', async () => {
    const { world, accept } = await sceneWithJoined(REFERENCE);
    await setSecret(world.deps, { caller: PERSON, key: 'MODEL_KEY', value: KEY });
    await rotateMasterKey(world.deps, PERSON);
    await world.createIssue();
    await world.tick();
    expect(await accept()).toEqual({ providerApiKey: KEY });
  });

  it('may come from a login where none is configured, and goes with it', async () => {
    const { world, accept } = await sceneWithJoined({
      SERVICE_CONFIG__engine__provider__apiKey: '',
      SERVICE_CONFIG__engine__provider__baseUrl: 'https://api.openai.com/v1',
    });
    const identifier = await world.createIssue();
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ reason_code: 'provider_key_missing' });
    await setSecret(world.deps, { caller: PERSON, key: 'ENGINE_API_KEY', value: KEY });
    await world.tick();
    expect(await accept()).toEqual({ providerApiKey: KEY });
    await deleteSecret(world.deps, { caller: PERSON, key: 'ENGINE_API_KEY' });
    expect((await world.deps.config.load()).engine.provider.apiKey ?? '').toBe('');
  });
});

describe('a new provider with a new key', () => {
  const OLD = { address: 'https://old.test/v1', key: 'sk-of-the-old-one' };
  const NEW = { address: 'https://new.test/v1', key: KEY };
  const store = (world: CoreWorld, { address, key }: typeof NEW) =>
    storeSettings(world.deps, {
      caller: PERSON,
      operation: 'provider.connect',
      subject: 'test',
      secrets: [{ key: 'MODEL_KEY', value: key }],
      settings: {
        'engine.provider.baseUrl': address,
        'engine.provider.apiKey': '$SECRET:MODEL_KEY',
      },
    });

  async function offeredByOld() {
    const scene = await sceneWithJoined({});
    await store(scene.world, OLD);
    await scene.world.createIssue();
    await scene.world.tick();
    return { ...scene, offer: scene.runner.offer() };
  }

  it('is never used at the old address: what was offered with it is offered again', async () => {
    const { world, runner, offer, accept } = await offeredByOld();
    await store(world, NEW);
    const answer = await runner.sendOne(runner.acceptMessage(offer));
    expect(answer).toMatchObject({ type: 'fence', attemptId: offer.attemptId });
    await world.tick();
    const again = runner.offer();
    expect(again).toMatchObject({ attemptId: offer.attemptId, epoch: offer.epoch + 2 });
    expect(again.spec.engine.provider.baseUrl).toBe(NEW.address);
    expect(await accept(again)).toEqual({ providerApiKey: NEW.key });
  });

  it('is withheld from an attempt that began with the old one', async () => {
    const { world, offer, accept } = await offeredByOld();
    expect(await accept(offer)).toEqual({ providerApiKey: OLD.key });
    await store(world, NEW);
    expect(await accept(offer)).toBeNull();
  });

  it('is stored with its address or not at all', async () => {
    const { world } = await sceneWithJoined({});
    await store(world, OLD);
    const refused = store(world, { ...NEW, address: 'no address' });
    await expect(refused).rejects.toMatchObject({ code: 'bad_request' });
    expect(await world.deps.resolveSecret('MODEL_KEY')).toBe(OLD.key);
  });
});

describe('a secret for the work itself', () => {
  const TOKEN = 'work-token-of-the-shop';
  const repos = [
    {
      prefix: 'SY-',
      url: 'file:///srv/git/project.git',
      secrets: [{ secret: '$SECRET:SHOP', hosts: ['api.shop.test'], writes: true }],
    },
  ];

  async function grantedBy(
    change: {
      variables?: Record<string, string>;
      isolation?: 'process';
      value?: string;
      unchecked?: true;
    } = {},
  ) {
    const variables = { SERVICE_CONFIG__repos: JSON.stringify(repos), ...change.variables };
    const scene = await sceneWithJoined(variables, change.isolation ?? 'docker');
    const { world, runner, accept } = scene;
    const value = change.value ?? TOKEN;
    if (change.unchecked === true) await storeUnchecked(world, 'SHOP', value);
    else await setSecret(world.deps, { caller: PERSON, key: 'SHOP', value });
    await setSecret(world.deps, { caller: PERSON, key: 'ENGINE_API_KEY', value: KEY });
    await world.createIssue();
    await world.tick();
    const offer = runner.offer();
    return { world, offer, unsealed: await accept(offer) };
  }

  it('is named in the specification, and its value reaches the runner sealed and nobody else', async () => {
    const { world, offer, unsealed } = await grantedBy({ value: `${TOKEN}\n` });
    const how = { header: 'authorization', scheme: 'bearer', writes: true };
    expect(offer.spec.sandbox.secrets).toEqual([
      { name: 'SHOP', hosts: ['api.shop.test'], ...how },
    ]);
    expect(unsealed).toMatchObject({ workSecrets: { SHOP: TOKEN } });
    const seen = JSON.stringify([await dumpTables(world.deps.db), world.core.complaints]);
    expect(seen).not.toContain(TOKEN);
  });

  it('stays here where nothing may be reached', async () => {
    const { offer, unsealed } = await grantedBy({
      variables: { SERVICE_CONFIG__engine__sandbox__network: 'none' },
    });
    expect(offer.spec.sandbox).not.toHaveProperty('secrets');
    expect(unsealed).not.toHaveProperty('workSecrets');
  });

  it('stays here where no proxy could add it, and when it cannot be sent', async () => {
    const process = await grantedBy({ isolation: 'process' });
    expect(process.unsealed).not.toHaveProperty('workSecrets');
    const broken = await grantedBy({ value: 'two\r\nlines-of-it', unchecked: true });
    expect(broken.unsealed).not.toHaveProperty('workSecrets');
    expect(JSON.stringify(broken.world.core.complaints)).toContain('SHOP');
    expect(broken.world.deps.config.problems()).toMatchObject([
      { code: 'unusable_grant', path: 'repos.0.secrets.0' },
    ]);
  });

  it('is refused where it is granted and can never be sent', async () => {
    for (const value of ['short', 'two\nlines-of-it', 'wörter-mit-umlaut'])
      await expect(grantedBy({ value })).rejects.toMatchObject({ reason: 'invalid_secret' });
  });

  it('is granted only where it can be sent, and something is reached', async () => {
    const { world } = await sceneWithJoined({});
    const grant = (prefix: string, secret: string) =>
      addRepoRoute(world.deps, {
        caller: PERSON,
        route: {
          prefix,
          url: repos[0]?.url ?? '',
          secrets: [{ secret, hosts: ['api.shop.test'] }],
        },
      });
    const refusal = (message: RegExp) => ({
      reason: 'invalid_config',
      message: expect.stringMatching(message),
    });
    await setSecret(world.deps, { caller: PERSON, key: 'SHOP', value: 'short' });
    await expect(grant('A-', '$SECRET:SHOP')).rejects.toMatchObject(
      refusal(
        /^repos\.\d+\.secrets\.0: the secret SHOP is granted to work and must have 8 to 8,192 visible/,
      ),
    );
    await setSecret(world.deps, { caller: PERSON, key: 'SHOP', value: TOKEN });
    await grant('A-', '$SECRET:SHOP');
    const network = (value: string) =>
      patchOverlay(world.deps, { caller: PERSON, path: 'engine.sandbox.network', value });
    // Closing the network is never held up by a grant; a new one then is.
    await network('none');
    await world.deps.config.load();
    expect(world.deps.config.problems()).toMatchObject([{ code: 'unusable_grant' }]);
    await expect(grant('B-', '$SECRET:OTHER')).rejects.toMatchObject(
      refusal(/nothing is reached with engine\.sandbox\.network "none"/),
    );
    await network('registries');
    // It may be stored afterwards; until then it is a problem.
    await grant('B-', '$SECRET:OTHER');
    await world.deps.config.load();
    expect(world.deps.config.problems()).toMatchObject([{ code: 'missing_secret' }]);
  });

  it('is granted, and no route is lost, where another instance stored it a moment ago', async () => {
    const { world } = await sceneWithJoined({});
    const instance = () => {
      const { db, clock } = world.deps;
      const store = createConfigStore({ db, variables: {}, baseFile: null, clock });
      return { ...world.deps, config: learningSecrets(store, world.deps) };
    };
    const [one, other] = [instance(), instance()];
    const add = (deps: typeof one, prefix: string, secret?: string) =>
      addRepoRoute(deps, {
        caller: PERSON,
        route: {
          prefix,
          url: repos[0]?.url ?? '',
          ...(secret === undefined ? {} : { secrets: [{ secret, hosts: ['api.shop.test'] }] }),
        },
      });
    await add(one, 'A-');
    for (const { config } of [one, other]) await config.load();
    await setSecret(one, { caller: PERSON, key: 'SHOP', value: TOKEN });
    await add(one, 'B-', '$SECRET:SHOP');
    expect((await add(other, 'C-')).routes.map(({ prefix }) => prefix)).toEqual(['A-', 'B-', 'C-']);
    await setSecret(one, { caller: PERSON, key: 'OTHER', value: TOKEN });
    expect((await add(other, 'D-', '$SECRET:OTHER')).routes).toHaveLength(4);
  });
});
