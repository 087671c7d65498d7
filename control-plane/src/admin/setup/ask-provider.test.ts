import { describe, expect, it } from 'vitest';
import { askProvider } from './ask-provider.ts';

const given = {
  baseUrl: 'https://models.example/v1/',
  apiKey: 'sk-secret',
  wireApi: 'responses' as const,
};
const answering =
  (status: number, body: string): typeof fetch =>
  async () =>
    new Response(body, { status });

describe('a look at a model provider', () => {
  it.each([
    ['responses', '/models', { authorization: 'Bearer sk-secret' }],
    ['chat', '/models', { authorization: 'Bearer sk-secret' }],
    [
      'messages',
      '/models?limit=1000',
      { 'x-api-key': 'sk-secret', 'anthropic-version': '2023-06-01' },
    ],
    ['gemini', '/models?pageSize=1000', { 'x-goog-api-key': 'sk-secret' }],
  ] as const)(
    'asks for its models as %s wants it, and follows no redirection',
    async (wireApi, path, headers) => {
      let asked: { url: string; init: RequestInit | undefined } | undefined;
      const answer = await askProvider({ ...given, wireApi }, async (url, init) => {
        asked = { url: new Request(url).url, init };
        const models = [{ id: 'm-1', name: 'models/m-1' }];
        return Response.json({ data: models, models });
      });
      expect(answer).toMatchObject({ ok: true, offered: { ids: ['m-1'], isWhole: true } });
      expect(answer.message).toBe('The provider takes the key and offers 1 model');
      expect(asked?.url).toBe(`https://models.example/v1${path}`);
      expect(asked?.init).toMatchObject({ redirect: 'manual' });
      expect(asked?.init?.headers).toEqual(headers);
    },
  );

  it('asks where agents will: with the version that an address lacks', async () => {
    const asked: string[] = [];
    for (const baseUrl of ['https://m.example', 'https://m.example/api', 'https://m.example/v3/']) {
      // oxlint-disable-next-line no-await-in-loop
      await askProvider({ ...given, baseUrl, apiKey: null }, async (url) => {
        asked.push(new Request(url).url);
        return Response.json({ data: [] });
      });
    }
    const paths = ['/v1/models', '/api/v1/models', '/v3/models'];
    expect(asked).toEqual(paths.map((path) => `https://m.example${path}`));
  });

  it.each([
    [
      401,
      '{"error":{"message":"Incorrect key sk-secret"}}',
      'the provider refuses the credentials (401): Incorrect key •••',
    ],
    [403, '{"error":{"message":"not here"}}', 'the provider does not allow this (403): not here'],
    [
      400,
      '{"error":{"code":400,"message":"API key not valid.\\u0000\\u202e Pass one."}}',
      'the provider answered 400: API key not valid. Pass one.',
    ],
    [429, '{"error":"slow down"}', 'the provider limits requests for now (429): slow down'],
    [500, '<html>', 'the provider has trouble of its own (500)'],
    [200, '<html>', 'no list of models'],
    [200, '{"data":"none"}', 'no list of models; check the address and the format'],
    [302, '', 'the provider answered 302'],
    [
      502,
      '<html><head><title>502 Bad\nGateway</title></head></html>',
      'trouble of its own (502): 502 Bad Gateway',
    ],
    [200, '<h1>Welcome!</h1>', 'what answers there (Welcome!) is no list of models'],
  ])('refuses %s %s in the provider’s words', async (status, body, words) => {
    const answer = await askProvider(given, answering(status, body));
    expect(answer).toMatchObject({ ok: false, offered: null });
    expect(answer.message).toContain(words);
    expect(JSON.stringify(answer)).not.toContain('sk-secret');
  });

  it('takes a provider without a list for good, and tells what it said', async () => {
    expect(await askProvider(given, answering(404, ''))).toMatchObject({ ok: true, offered: null });
    const { ok, notes } = await askProvider(given, answering(404, '{"message":"no route"}'));
    expect({ ok, said: notes[0] }).toEqual({ ok: true, said: 'It says 404: no route' });
  });

  it('does not take a list of 5 MB, and says that the provider was reached', async () => {
    const id = 'x'.repeat(5 * 1_048_576);
    const answer = await askProvider(given, answering(200, JSON.stringify({ data: [{ id }] })));
    expect(answer).toMatchObject({
      ok: false,
      message:
        'models.example answers with more than a list of models: the answer is longer than 4194304 bytes',
    });
  });

  it('tells of the first thousands of 10,000 models', async () => {
    const data = Array.from({ length: 10_000 }, (_, at) => ({ id: `m-${at}` }));
    const { message } = await askProvider(given, answering(200, JSON.stringify({ data })));
    expect(message).toBe('The provider takes the key and offers more than 5000 models');
  });

  it('stops at a page that is refused', async () => {
    const pages = [
      Response.json({ data: [{ id: 'a' }], has_more: true, last_id: 'a' }),
      Response.json({ error: { message: 'slow down' } }, { status: 429 }),
    ];
    const answer = await askProvider(
      { ...given, wireApi: 'messages' },
      async () => pages.shift() ?? Response.error(),
    );
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('slow down') });
  });

  it('says where it is led instead of going there with the key', async () => {
    const moved = new Response(null, {
      status: 301,
      headers: { Location: 'https://new.example/v1' },
    });
    const answer = await askProvider(given, async () => moved);
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('new.example/v1') });
  });

  it('says that no answer came in time', async () => {
    const answer = await askProvider(given, async () => {
      throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    });
    expect(answer).toMatchObject({
      ok: false,
      message: 'models.example cannot be reached from here: no answer in time',
    });
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
