import { describe, expect, it } from 'vitest';
import { askProvider } from './ask-provider.ts';

const given = { baseUrl: 'https://models.example/v1/', apiKey: 'sk-secret', model: 'm-1' };
const answering =
  (status: number, body: string): typeof fetch =>
  async () =>
    new Response(body, { status });

describe('a look at a model provider', () => {
  it('asks for its models with the key, and follows no redirection', async () => {
    let asked: { url: string; init: RequestInit | undefined } | undefined;
    const answer = await askProvider(given, async (url, init) => {
      asked = { url: new Request(url).url, init };
      return Response.json({ data: [{ id: 'm-1' }, { id: 'm-2' }] });
    });
    expect(answer).toMatchObject({ ok: true, notes: ['m-1 is one of them.'] });
    expect(asked?.url).toBe('https://models.example/v1/models');
    expect(asked?.init).toMatchObject({
      redirect: 'manual',
      headers: { Authorization: 'Bearer sk-secret' },
    });
  });

  it('tells of a model that is not offered', async () => {
    const answer = await askProvider(given, answering(200, '{"data":[{"id":"other"}]}'));
    expect(answer).toMatchObject({ ok: true, notes: [expect.stringContaining('other')] });
  });

  it.each([
    [
      401,
      '{"error":{"message":"Incorrect key sk-secret"}}',
      'the provider refuses the credentials (401): Incorrect key •••',
    ],
    [429, '{"error":"slow down"}', 'the provider limits requests for now (429): slow down'],
    [500, '<html>', 'the provider has trouble of its own (500)'],
    [200, '<html>', 'no list of models'],
    [302, '', 'the provider answered 302'],
    [
      502,
      '<html><head><title>502 Bad\nGateway</title></head></html>',
      'trouble of its own (502): 502 Bad Gateway',
    ],
    [200, '<h1>Welcome!</h1>', 'what answers there (Welcome!) is no list of models'],
  ])('refuses %s %s in the provider’s words', async (status, body, words) => {
    const answer = await askProvider(given, answering(status, body));
    expect(answer.ok).toBe(false);
    expect(answer.message).toContain(words);
    expect(JSON.stringify(answer)).not.toContain('sk-secret');
  });

  it('takes a provider without a list for good, and tells what it said', async () => {
    expect(await askProvider(given, answering(404, ''))).toMatchObject({ ok: true });
    const { ok, notes } = await askProvider(given, answering(404, '{"message":"no route"}'));
    expect({ ok, said: notes[0] }).toEqual({ ok: true, said: 'It says 404: no route' });
  });

  it('says where it is led instead of going there with the key', async () => {
    const moved = new Response(null, {
      status: 301,
      headers: { Location: 'https://new.example/v1' },
    });
    const answer = await askProvider(given, async () => moved);
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('new.example/v1') });
  });

  it('says that nobody answers', async () => {
    const answer = await askProvider(given, async () => {
      const cause = Object.assign(new Error('connect models.example'), { code: 'ECONNREFUSED' });
      throw new TypeError('fetch failed', { cause });
    });
    expect(answer).toMatchObject({
      ok: false,
      message:
        'models.example cannot be reached from here: nothing accepts connections there (ECONNREFUSED)',
    });
  });
});
