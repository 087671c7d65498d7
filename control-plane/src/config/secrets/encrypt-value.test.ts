import { describe, expect, it } from 'vitest';
import { decryptValue, encryptValue } from './encrypt-value.ts';
import { importMasterKey, makeMasterKeyText, parseMasterKey } from './master-key.ts';

async function masterKey(byte: number) {
  return importMasterKey(new Uint8Array(32).fill(byte));
}

describe('encryptValue', () => {
  it('gives back any text, and never the same bytes twice', async () => {
    const key = await masterKey(1);
    for (const text of ['a', '\uFEFFwith a mark', 'ключ 🔑\n', 'x'.repeat(65_536)]) {
      const [one, two] = [await encryptValue(key, 'A', text), await encryptValue(key, 'A', text)];
      expect(await decryptValue(key, 'A', one)).toBe(text);
      expect(one.ciphertext).not.toEqual(two.ciphertext);
      expect(one.nonce).not.toEqual(two.nonce);
    }
  });

  it('refuses another name, another key, a damaged row and another key id', async () => {
    const key = await masterKey(1);
    const stored = await encryptValue(key, 'A', 'hidden');
    const damaged = Uint8Array.from(stored.ciphertext, (byte, at) => (at === 0 ? byte ^ 1 : byte));
    await expect(decryptValue(key, 'B', stored)).rejects.toThrow();
    await expect(decryptValue(await masterKey(2), 'A', stored)).rejects.toThrow();
    await expect(decryptValue(key, 'A', { ...stored, ciphertext: damaged })).rejects.toThrow();
    await expect(decryptValue(key, 'A', { ...stored, masterKeyId: 'x' })).rejects.toThrow();
  });
});

describe('parseMasterKey', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index * 3);
  const base64 = Buffer.from(bytes).toString('base64');

  it.each([
    Buffer.from(bytes).toString('hex'),
    Buffer.from(bytes).toString('hex').toUpperCase(),
    base64,
    ` ${base64}\n`,
    base64.replace('=', ''),
    Buffer.from(bytes).toString('base64url'),
  ])('reads %s', (text) => {
    expect(parseMasterKey(text)).toEqual(bytes);
  });

  it.each(['', 'short', 'a'.repeat(63), 'z'.repeat(64), base64.slice(4), `${base64}AAAA`])(
    'refuses %j',
    (text) => {
      expect(parseMasterKey(text)).toBeNull();
    },
  );

  it('names a key by an id that is the same each time and not part of the key', async () => {
    const text = makeMasterKeyText();
    const parsed = parseMasterKey(text);
    if (parsed === null) throw new Error('not a key');
    const [one, two] = [await importMasterKey(parsed), await importMasterKey(parsed)];
    expect(one.id).toMatch(/^[0-9a-f]{16}$/);
    expect(two.id).toBe(one.id);
    expect(Buffer.from(parsed).toString('hex')).not.toContain(one.id);
  });
});
