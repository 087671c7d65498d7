import { importMasterKey } from '../../control-plane/src/config/secrets/master-key.ts';
import type { MasterKey, MasterKeys } from '../../control-plane/src/config/secrets/master-keys.ts';

/** Master keys in memory, each made of one repeated byte; `renew` adds the next one. */
export function createTestMasterKeys(firstByte = 1): MasterKeys {
  const keys: MasterKey[] = [];
  const add = async (byte: number) =>
    void keys.unshift(await importMasterKey(new Uint8Array(32).fill(byte)));
  const ready = add(firstByte);
  return {
    async current() {
      await ready;
      const [first] = keys;
      if (first === undefined) throw new Error('no master key');
      return first;
    },
    async find(id) {
      await ready;
      return keys.find((key) => key.id === id) ?? null;
    },
    async renew() {
      await ready;
      await add(firstByte + keys.length);
    },
  };
}
