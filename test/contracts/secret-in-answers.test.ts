import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { setSecret } from '../../control-plane/src/config/secrets/set-secret.ts';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { updateComment } from '../../control-plane/src/pull-requests/delivery/update-comment.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { until } from '../support/e2e/until.ts';
import { type FakeReceiver, startFakeReceiver } from '../support/receivers/fake-receiver.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

/** With what JSON and addresses write in another way. Nothing uses it, so nothing looked it up. */
const SECRET = String.raw`sk/never+to "be" shown\anywhere`;
const FORMS = [
  SECRET,
  JSON.stringify(SECRET).slice(1, -1),
  encodeURIComponent(SECRET),
  btoa(`x-access-token:${SECRET}`).slice(24, 48),
];
const TEXT = `fails with ${SECRET} at https://h/?k=${encodeURIComponent(SECRET)} or Basic ${btoa(`x-access-token:${SECRET}`)} ${JSON.stringify({ key: SECRET })}`;
const LOCAL = { remoteAddress: '127.0.0.1' };

const make = useCoreWorlds();
const receivers: FakeReceiver[] = [];
afterEach(async () => {
  for (const started of receivers.splice(0)) await started.close();
});

type Document = { paths: Record<string, Record<string, { parameters?: unknown[] }>> };

const shownIn = (text: string) => FORMS.filter((form) => text.includes(form));

async function ask(world: CoreWorld, path: string, body?: unknown) {
  const answer = await world.core.app.request(
    path,
    {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Host: 'localhost', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    LOCAL,
  );
  return answer;
}

async function read(world: CoreWorld, path: string, body?: unknown): Promise<string> {
  const answer = await ask(world, path, body);
  const type = answer.headers.get('Content-Type') ?? '';
  if (!type.startsWith('text/event-stream')) return answer.text();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  // All that is stored comes at once; the live text of an attempt begins empty.
  for (const enough = path.includes('/live') ? 1 : 2_000; text.length < enough;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += value ?? '';
  }
  await reader?.cancel();
  return text;
}

/** An issue, its attempt and its end, with the secret in every text that others write. */
async function plant(variables: Record<string, string> = {}) {
  const scene = await sceneWithLease(make, variables);
  const { world, runner, identifier, lease } = scene;
  await setSecret(world.deps, { caller: PERSON, key: 'UNUSED', value: SECRET });
  const comments = `/api/v1/local/issues/${identifier}/comments`;
  const made = await read(world, '/api/v1/local/issues', {
    title: `Reject ${SECRET}`,
    description: TEXT,
  });
  const said = await read(world, comments, { body: TEXT });
  await world.editIssue(identifier, { title: `Fix ${SECRET}`, description: TEXT });
  const item = { type: 'command', command: TEXT, output: TEXT, status: 'completed', exitCode: 0 };
  const question = { id: 'q1', header: SECRET, question: TEXT, isSecret: false, options: [] };
  const { spec } = await world.attempt(lease.attemptId);
  const checks = [{ name: 'lint', command: TEXT, timeoutMs: 60_000 }];
  await world.deps.db
    .update(attempts)
    .set({ spec: { ...spec, checks } })
    .where(eq(attempts.attempt_id, lease.attemptId));
  const check = { state: 'ended', name: 'lint', commitSha: 'a'.repeat(40), run: 1 };
  const failed = { result: 'failed', exitCode: 1, durationMs: 1, output: TEXT, message: SECRET };
  const stored = await runner.events(
    lease,
    { kind: 'check', payload: { ...check, ...failed } },
    { kind: 'log', payload: { source: 'engine', text: TEXT } },
    {
      kind: 'item',
      payload: { state: 'ended', itemId: 'i1', item: { type: 'agent_message', text: TEXT } },
    },
    { kind: 'item', payload: { state: 'ended', itemId: 'i2', item } },
    { kind: 'request', payload: { requestId: 'r1', turnId: 't', questions: [question] } },
  );
  expect(stored).toMatchObject({ type: 'ack' });
  await world.tick();
  return { ...scene, answers: [made, said] };
}

describe('a stored secret in texts that others wrote', () => {
  it('is in no answer of any read, nor in an error that repeats what was asked', async () => {
    const { world, runner, identifier, lease, answers } = await plant();
    expect(answers.flatMap(shownIn)).toEqual([]);
    const asked = await read(world, '/api/v1/requests');
    expect(asked).toContain('[redacted]');
    expect(shownIn(asked)).toEqual([]);
    await runner.finish(lease, { marker: 'BLOCKED', summary: TEXT });
    await world.tick();
    // No runner is asked then, and what another start learned counts for nothing.
    await world.restart();
    const { paths } = JSON.parse(await read(world, '/api/v1/openapi.json')) as Document;
    const known: Record<string, string> = { aid: lease.attemptId, attemptId: lease.attemptId };
    const masked: string[] = [];
    for (const [template, { get }] of Object.entries(paths)) {
      if (get === undefined) continue;
      for (const unknown of [identifier, encodeURIComponent(SECRET)]) {
        const isError = unknown !== identifier;
        const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          isError ? unknown : (known[name] ?? unknown),
        );
        const query = template.endsWith('/search')
          ? '?q=with'
          : template === '/api/v1/events'
            ? '?after=0'
            : '';
        const text = await read(world, `${path}${query}`);
        expect(shownIn(text), path).toEqual([]);
        if (text.includes('[redacted]')) masked.push(isError ? `${template} (error)` : template);
      }
    }
    expect(masked).toEqual(
      expect.arrayContaining([
        '/api/v1/state',
        '/api/v1/events',
        '/api/v1/search',
        '/api/v1/notifications',
        '/api/v1/local/issues',
        '/api/v1/{id}',
        '/api/v1/{id}/attempts',
        '/api/v1/attempts/{aid}',
        '/api/v1/attempts/{aid}/checks',
      ]),
    );
    expect(masked.filter((at) => at.endsWith('(error)'))).not.toEqual([]);
  });

  it('is in no answer that was kept from before it was known', async () => {
    const { world, identifier } = await sceneWithLease(make);
    await world.editIssue(identifier, { title: `Fix ${SECRET}` });
    const paths = [`/api/v1/${identifier}`, '/api/v1/state', '/api/v1/local/issues'];
    for (const path of paths) expect(shownIn(await read(world, path))).not.toEqual([]);
    await setSecret(world.deps, { caller: PERSON, key: 'UNUSED', value: SECRET });
    for (const path of paths) expect(shownIn(await read(world, path)), path).toEqual([]);
  });

  it('is in no notification and in no comment of ours', async () => {
    const [hook, chat] = [await startFakeReceiver(), await startFakeReceiver()];
    receivers.push(hook, chat);
    const { world, runner, identifier, lease } = await plant({
      SERVICE_CONFIG__notifications__channels: JSON.stringify([
        { type: 'webhook', name: 'hook', webhookUrl: hook.url, secret: 's', verbosity: 'verbose' },
        { type: 'chat', name: 'team', webhookUrl: chat.url, verbosity: 'verbose' },
      ]),
    });
    await runner.finish(lease, { marker: 'BLOCKED', summary: TEXT });
    const posted = () => [...hook.received, ...chat.received].map(({ body }) => body).join('\n');
    await until(
      async () => {
        await world.tick();
        return posted();
      },
      (text) => text.includes('[redacted]'),
      { what: 'notifications', timeoutMs: 60_000 },
    );
    expect(shownIn(posted())).toEqual([]);
    const said: string[] = [];
    const { id, tracker: kind } = await world.issue(identifier);
    const tracker = world.deps.trackers.get(kind);
    await updateComment(world.deps, { tracker: kind, issue_id: id } as never);
    for (const { body } of (await tracker?.listComments?.(id, 100)) ?? []) said.push(body);
    const ours = said.filter((body) => body.includes('[redacted]'));
    expect(ours).not.toEqual([]);
    expect(ours.flatMap(shownIn)).toEqual([]);
  });

  it('is in no comment in which Markdown writes it in another way', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    const value = 'k_never*be~shown[at]#1 7bf48059a';
    await setSecret(world.deps, { caller: PERSON, key: 'UNUSED', value });
    await runner.finish(lease, { marker: 'BLOCKED', summary: `It fails with ${value} here.` });
    const { id, tracker: kind } = await world.issue(identifier);
    await updateComment(world.deps, { tracker: kind, issue_id: id } as never);
    const [comment] = (await world.deps.trackers.get(kind)?.listComments?.(id, 100)) ?? [];
    const shown = comment?.body.replaceAll(/[\\`\u200b]/g, '') ?? '';
    expect(shown).toContain('It fails with [redacted] here.');
    expect(shown).not.toContain('7bf48059a');
  });

  it('is still what a token, a join token and a sign-in code are shown as, once', async () => {
    const world = await make();
    const token = JSON.parse(
      await read(world, '/api/v1/tokens', { name: 'ci', scope: 'read' }),
    ) as {
      token: string;
    };
    const join = JSON.parse(await read(world, '/api/v1/runners/tokens', {})) as { token: string };
    expect(token.token).toMatch(/^\w+_.{20,}$/);
    expect(join.token).toMatch(/^enr_.{20,}$/);
  });
});
