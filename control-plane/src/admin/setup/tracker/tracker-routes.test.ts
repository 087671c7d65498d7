import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../../test/support/core/runner-peers.ts';
import { sendTo } from '../../../../../test/support/core/signed-deliveries.ts';
import {
  type FakeLinear,
  startFakeLinear,
} from '../../../../../test/support/linear/fake-linear.ts';
import { audit } from '../../../db/schema/operation/audit.ts';
import { connectLinear } from '../../../integrations/linear/connect-linear.ts';
import { linearSettingsOf } from '../../../integrations/linear/linear-settings-of.ts';
import { renewTrackerToken } from './tracker-sign-in.ts';

let world: CoreWorld;
let fake: FakeLinear;
beforeEach(async () => {
  fake = await startFakeLinear();
  world = await createCoreWorld(openFramePeer, {
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
  });
});
afterEach(async () => {
  await world.close();
  await fake.close();
});

const post = (path: string, body: unknown) =>
  sendTo(world, `/api/v1/setup/tracker/${path}`, {
    headers: { Authorization: 'Bearer write-secret' },
    body: JSON.stringify(body),
  });
const config = () => world.deps.config.load();

/** The tracker as a running service would use it now. */
async function connected() {
  const latest = await config();
  const settings = linearSettingsOf(() => latest, world.deps.resolveSecret);
  const renew = () => renewTrackerToken(world.deps);
  return connectLinear({ ...world.deps, settings: { ...settings, renew } }).tracker;
}

describe('POST /api/v1/setup/tracker', () => {
  it('connects by a key that Linear accepts, and keeps it as a secret', async () => {
    const wrong = await post('key', { apiKey: 'lin_api_wrong' });
    expect(wrong).toMatchObject({ status: 502, body: { code: 'tracker_auth' } });
    expect((await config()).tracker.kind).toBe('local');
    const { status, body } = await post('key', { apiKey: fake.apiKey });
    expect([status, body]).toEqual([
      200,
      { kind: 'linear', organization: 'Fake', user: 'Switchyard' },
    ]);
    expect((await config()).tracker).toMatchObject({
      kind: 'linear',
      linear: { apiKey: '$SECRET:TRACKER_KEY' },
    });
    expect(await (await connected()).fetchByStates(['Todo'])).toEqual([]);
    const rows = JSON.stringify(await world.deps.db.select().from(audit));
    expect(rows).toContain('tracker.connect');
    expect(rows).not.toContain(fake.apiKey);
  });

  it('connects by a sign-in with PKCE, once per state, and renews its token', async () => {
    const redirectUri = 'http://127.0.0.1:4000/setup';
    const begun = await post('sign-in', { clientId: 'client', redirectUri });
    expect(begun.status).toBe(200);
    const authorizeUrl = String(begun.body['authorizeUrl']);
    expect(new URL(authorizeUrl).searchParams.get('redirect_uri')).toBe(redirectUri);
    const { code, state } = fake.oauth.agree(authorizeUrl);
    expect((await post('sign-in/complete', { code, state: 'another' })).status).toBe(409);
    const done = await post('sign-in/complete', { code, state });
    expect(done).toMatchObject({ status: 200, body: { kind: 'linear' } });
    expect((await post('sign-in/complete', { code, state })).status).toBe(409);
    const tracker = await connected();
    expect(await tracker.fetchByStates(['Todo'])).toEqual([]);
    fake.oauth.endAccess();
    const many = [['Todo'], ['Done']].map((states) => tracker.fetchByStates(states));
    expect(await Promise.all(many)).toEqual([[], []]);
    fake.oauth.endAccess();
    expect(await (await connected()).fetchByStates(['Todo'])).toEqual([]);
  });

  it('refuses a sign-in that took too long, and a code that is none', async () => {
    const request = { clientId: 'client', redirectUri: 'http://127.0.0.1:4000/setup' };
    const first = await post('sign-in', request);
    const agreed = fake.oauth.agree(String(first.body['authorizeUrl']));
    world.clock.advance(600_000);
    expect((await post('sign-in/complete', agreed)).status).toBe(409);
    const second = await post('sign-in', request);
    const { state } = fake.oauth.agree(String(second.body['authorizeUrl']));
    const refused = await post('sign-in/complete', { code: 'none', state });
    expect(refused).toMatchObject({ status: 502, body: { code: 'tracker_auth' } });
  });

  it('has Linear send webhooks under a secret of its own, again and again the same', async () => {
    await post('key', { apiKey: fake.apiKey });
    expect((await post('webhook', {})).status).toBe(422);
    expect((await post('webhook', { url: 'http://example.com/x' })).status).toBe(400);
    const url = 'https://switchyard.example/webhooks/tracker';
    const first = await post('webhook', { url });
    expect(first).toMatchObject({ status: 200, body: { url } });
    expect((await post('webhook', {})).body).toEqual(first.body);
    const [webhook] = fake.world.webhooks;
    expect(fake.world.webhooks).toHaveLength(1);
    expect(webhook?.secret).toMatch(/^[0-9a-f]{64}$/);
    expect((await config()).webhook).toMatchObject({
      webhookUrl: url,
      webhookSecret: '$SECRET:TRACKER_WEBHOOK_SECRET',
    });
    expect(await world.deps.resolveSecret('TRACKER_WEBHOOK_SECRET')).toBe(webhook?.secret);
  });
});
