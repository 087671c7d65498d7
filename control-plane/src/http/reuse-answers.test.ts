import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { reuseAnswers } from './reuse-answers.ts';

describe('answers that are used again', () => {
  /** What the rows are, what they were asked, and what was made of them. */
  const world = { rows: 'r1', version: 'v1', text: 'one', asked: 0, made: 0 };
  let app: Hono;

  beforeEach(() => {
    Object.assign(world, { rows: 'r1', version: 'v1', text: 'one', asked: 0, made: 0 });
    const reuse = reuseAnswers({ db: { rowsVersion: () => world.rows } });
    app = new Hono().get('/:name', (c) =>
      reuse(c, c.req.param('name'), async () => {
        world.asked += 1;
        const { version, text } = world;
        return {
          version,
          answer: async () => {
            world.made += 1;
            return { text };
          },
        };
      }),
    );
  });

  const get = async (path: string, etag?: string) => {
    const headers = new Headers(etag === undefined ? [] : [['If-None-Match', etag]]);
    const answer = await app.request(path, { headers });
    return { status: answer.status, etag: answer.headers.get('ETag'), text: await answer.text() };
  };
  const full = (text: string, version: string) => ({
    status: 200,
    etag: `W/"${version}"`,
    text: JSON.stringify({ text }),
  });

  it('ask nothing while no row has changed', async () => {
    for (let count = 0; count < 3; count += 1) expect(await get('/a')).toEqual(full('one', 'v1'));
    expect(await get('/a', 'W/"v1"')).toMatchObject({ status: 304, text: '' });
    expect([world.asked, world.made]).toEqual([1, 1]);
    await get('/b');
    expect(world.asked).toBe(2);
  });

  it('are the same bytes after a change that is none of theirs, and new ones after theirs', async () => {
    await get('/a');
    world.rows = 'r2';
    expect(await get('/a')).toEqual(full('one', 'v1'));
    expect([world.asked, world.made]).toEqual([2, 1]);
    Object.assign(world, { rows: 'r3', version: 'v2', text: 'two' });
    expect(await get('/a')).toEqual(full('two', 'v2'));
    expect(await get('/a', 'W/"v1"')).toEqual(full('two', 'v2'));
    expect([world.asked, world.made]).toEqual([3, 2]);
  });

  it('are not made for a client that has them', async () => {
    expect(await get('/a', 'W/"v1"')).toMatchObject({ status: 304 });
    expect(world.made).toBe(0);
  });

  it('give way to newer ones when they are many', async () => {
    world.text = 'x'.repeat(3_000_000);
    for (const name of ['a', 'b', 'c']) await get(`/${name}`);
    world.made = 0;
    for (const name of ['c', 'b', 'a']) await get(`/${name}`);
    expect(world.made).toBe(1);
  });
});
