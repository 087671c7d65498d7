import { describe, expect, it } from 'vitest';
import { MAX_MODELS, readModels } from './read-models.ts';
import type { WireApi } from './wire-api.ts';

/** What is read of pages that follow each other, and which were asked for. */
async function read(wireApi: WireApi, pages: unknown[]) {
  const asked: string[] = [];
  const offered = await readModels(wireApi, async (target) => {
    const page = pages[Math.min(asked.push(target), pages.length) - 1];
    return typeof page === 'string' ? page : JSON.stringify(page);
  });
  return { asked, offered };
}
const entries = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `m-${at}` }));

describe('a list of models', () => {
  it.each(['responses', 'chat'] as const)('has its ids in data, for %s', async (wireApi) => {
    const { asked, offered } = await read(wireApi, [{ object: 'list', data: entries(2) }]);
    expect(offered).toEqual({ ids: ['m-0', 'm-1'], isWhole: true });
    expect(asked).toEqual(['/v1/models']);
  });

  it('may be a bare list', async () => {
    const { offered } = await read('chat', [entries(1)]);
    expect(offered?.ids).toEqual(['m-0']);
  });

  it('of the format messages is read page by page', async () => {
    const page = (...ids: string[]) => ({
      data: ids.map((id) => ({ type: 'model', id })),
      has_more: true,
      first_id: ids[0],
      last_id: ids.at(-1),
    });
    const { asked, offered } = await read('messages', [
      page('a', 'b&c'),
      { ...page('d'), has_more: false },
    ]);
    expect(offered).toEqual({ ids: ['a', 'b&c', 'd'], isWhole: true });
    expect(asked).toEqual(['/v1/models?limit=1000', '/v1/models?limit=1000&after_id=b%26c']);
  });

  it('of Gemini has names of which those count that generate content', async () => {
    const model = (name: string, ...methods: string[]) => ({
      name: `models/${name}`,
      supportedGenerationMethods: methods,
    });
    const first = { models: [model('pro', 'generateContent', 'countTokens')], nextPageToken: 'x=' };
    const second = { models: [model('embed', 'embedContent'), { name: 'models/untold' }] };
    const { asked, offered } = await read('gemini', [first, second]);
    expect(offered).toEqual({ ids: ['pro', 'untold'], isWhole: true });
    expect(asked).toEqual([
      '/v1beta/models?pageSize=1000',
      '/v1beta/models?pageSize=1000&pageToken=x%3D',
    ]);
  });

  it('of 10,000 models is cut, and says so', async () => {
    const { offered } = await read('responses', [{ data: entries(10_000) }]);
    expect(offered).toMatchObject({ isWhole: false });
    expect(offered?.ids).toHaveLength(MAX_MODELS);
  });

  it('whose pages never end is read to a limit', async () => {
    const endless = { data: [{ id: 'a' }], has_more: true, last_id: 'a' };
    const { asked, offered } = await read('messages', [endless]);
    expect(offered).toEqual({ ids: ['a'], isWhole: false });
    expect(asked).toHaveLength(2);
    let page = 0;
    const other = await readModels('gemini', async () =>
      JSON.stringify({ models: [{ name: 'models/a' }], nextPageToken: String((page += 1)) }),
    );
    expect(other).toEqual({ ids: ['a'], isWhole: false });
    expect(page).toBeLessThanOrEqual(20);
  });

  it('leaves out entries that name no model in one word', async () => {
    const strange = [7, null, {}, { id: 3 }, { id: '' }, { id: 'x'.repeat(201) }];
    const unseen = ['a\nb', 'a\u0000', 'a b', 'a\u202eb', '\u200b'].map((id) => ({ id }));
    const data = [...strange, ...unseen, { id: 'good' }, { id: 'good' }];
    expect((await read('chat', [{ data }])).offered?.ids).toEqual(['good']);
    const models = [{ name: 7 }, { name: 'models/' }, { name: 'models/good' }, 'x'];
    expect((await read('gemini', [{ models }])).offered?.ids).toEqual(['good']);
  });

  it.each([
    ['responses', '<html>'],
    ['responses', { data: 'x' }],
    ['responses', { data: [1, 2] }],
    ['messages', { models: [] }],
    ['messages', 'null'],
    ['gemini', { data: [{ id: 'a' }] }],
    ['gemini', { models: { name: 'models/a' } }],
    ['gemini', '[]'],
  ] as const)('is none: %s %j', async (wireApi, body) => {
    expect((await read(wireApi, [body])).offered).toBeNull();
  });

  it('may be empty', async () => {
    expect((await read('messages', [{ data: [] }])).offered).toEqual({ ids: [], isWhole: true });
  });
});
