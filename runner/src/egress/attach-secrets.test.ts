import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { hideInText, hideSecrets, attachSecrets } from './attach-secrets.ts';
import type { HeldSecret } from './attach-secrets.ts';

const bearer: HeldSecret = {
  name: 'TOKEN',
  hosts: ['api.test'],
  header: 'Authorization',
  scheme: 'bearer',
  writes: false,
  value: 'kohlrabi-4711/"x"',
};
const login: HeldSecret = { ...bearer, scheme: 'basic', user: 'robot', value: 'kohlrabi-4711' };

async function shown(pieces: string[], secrets: HeldSecret[]): Promise<string> {
  const hide = hideSecrets(secrets);
  let text = '';
  hide.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await pipeline(Readable.from(pieces.map((piece) => Buffer.from(piece, 'latin1'))), hide);
  return text;
}

describe('secrets in requests', () => {
  it('take the place of what the container sent, as bearer, login or as they are', () => {
    const sent = { authorization: 'Bearer mine', range: 'bytes=0-3', accept: '*/*' };
    expect(attachSecrets(sent, [bearer])).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      authorization: `Bearer ${bearer.value}`,
    });
    const words = Buffer.from('robot:kohlrabi-4711').toString('base64');
    expect(attachSecrets({}, [login])['authorization']).toBe(`Basic ${words}`);
    const plain = { ...login, header: 'X-Api-Key', scheme: 'plain' as const };
    expect(attachSecrets({ 'x-api-key': 'mine' }, [plain])['x-api-key']).toBe('kohlrabi-4711');
  });
});

describe('secrets in answers', () => {
  it('become stars wherever the pieces end', async () => {
    const text = `before ${login.value} between ${login.value}${login.value} after`;
    const stars = '*'.repeat(login.value.length);
    const wanted = `before ${stars} between ${stars}${stars} after`;
    for (let size = 1; size <= text.length; size += 1) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      expect(await shown(pieces, [login])).toBe(wanted);
    }
  });

  it('are found in JSON, in addresses and as base64', async () => {
    const { value } = bearer;
    const words = Buffer.from(`robot:${login.value}`).toString('base64');
    const seen = await shown(
      [JSON.stringify({ value }), encodeURIComponent(value), btoa(value), ` ${words} `],
      [bearer, login],
    );
    expect(seen).not.toContain('kohlrabi');
    expect(seen).not.toContain(words);
    expect(seen).not.toContain(btoa(value));
    expect(hideInText(`next=${value}`, [bearer])).toBe(`next=${'*'.repeat(value.length)}`);
  });

  it('hold back nothing but the beginning of one', async () => {
    const hide = hideSecrets([login]);
    const seen: string[] = [];
    hide.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
    hide.write('data: 1\n\n');
    hide.write('data: kohl');
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.join('')).toBe('data: 1\n\ndata: ');
    hide.end('!');
    await new Promise((resolve) => hide.once('end', resolve));
    expect(seen.join('')).toBe('data: 1\n\ndata: kohl!');
  });
});
