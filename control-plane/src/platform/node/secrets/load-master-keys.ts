import { join } from 'node:path';
import {
  importMasterKey,
  makeMasterKeyText,
  parseMasterKey,
} from '../../../config/secrets/master-key.ts';
import type { MasterKey, MasterKeys } from '../../../config/secrets/master-keys.ts';
import { createKeyFile, readKeyFile, replaceKeyFile } from './read-key-file.ts';

/** File beside the database, outside of every folder that containers can see. */
const FILE_NAME = 'master.key';
const CURRENT = 'SERVICE_MASTER_KEY';
/** Variable with the id of a lost master key; its secrets are deleted at the start. */
export const FORGET = 'SERVICE_FORGET_SECRETS';
const PREVIOUS = 'SERVICE_MASTER_KEY_PREVIOUS';
const FORMAT = 'must be 32 bytes as base64 or as 64 hex digits (openssl rand -base64 32 makes one)';

type Given = {
  env: Readonly<Record<string, string | undefined>>;
  dataDir: string;
  /** Ids of the master keys that encrypt stored secrets. */
  storedKeyIds: readonly string[];
};

/**
 * The master keys: `SERVICE_MASTER_KEY`, with `SERVICE_MASTER_KEY_PREVIOUS` (comma-separated) and
 * the key file still accepted; otherwise the key file, which the first start creates. Throws, with
 * advice, for a malformed key, or a missing file while secrets are stored.
 */
export async function loadMasterKeys(given: Given): Promise<MasterKeys> {
  const path = join(given.dataDir, FILE_NAME);
  const current = await environmentKey(given.env[CURRENT], CURRENT);
  const previous = await Promise.all(
    (given.env[PREVIOUS] ?? '')
      .split(',')
      .filter((text) => text.trim() !== '')
      .map((text) => parsedKey(text, PREVIOUS)),
  );
  if (current !== null) return environmentKeys(current, previous, path);
  if (readKeyFile(path) === null) {
    if (given.storedKeyIds.length > 0) {
      throw new Error(
        `secrets are stored, but there is neither ${CURRENT} nor the key file ${path}: ` +
          `put the file back or set ${CURRENT} to the key that was used before; if it is lost, start ` +
          `once with ${FORGET}=${given.storedKeyIds[0]}, which deletes what is under that key`,
      );
    }
    createKeyFile(path, [makeMasterKeyText()]);
  }
  return fileKeys(path, previous);
}

function environmentKeys(
  current: MasterKey,
  previous: readonly MasterKey[],
  path: string,
): MasterKeys {
  return {
    current: () => Promise.resolve(current),
    find: async (id) =>
      [current, ...previous].find((key) => key.id === id) ?? findIn(await readKeys(path), id),
    renew: null,
  };
}

function fileKeys(path: string, previous: readonly MasterKey[]): MasterKeys {
  return {
    async current() {
      const [first] = await readKeys(path);
      if (first === undefined) throw new Error(`the key file ${path} is missing or empty`);
      return first;
    },
    find: async (id) => findIn([...(await readKeys(path)), ...previous], id),
    async renew() {
      replaceKeyFile(path, [makeMasterKeyText(), ...(readKeyFile(path) ?? [])]);
    },
  };
}

/** Read each time, because another instance may have added a key; the file is small. */
function readKeys(path: string): Promise<MasterKey[]> {
  return Promise.all((readKeyFile(path) ?? []).map((text) => parsedKey(text, path)));
}

function findIn(keys: readonly MasterKey[], id: string): MasterKey | null {
  return keys.find((key) => key.id === id) ?? null;
}

async function environmentKey(text: string | undefined, name: string): Promise<MasterKey | null> {
  return text === undefined || text.trim() === '' ? null : parsedKey(text, name);
}

async function parsedKey(text: string, where: string): Promise<MasterKey> {
  const bytes = parseMasterKey(text);
  if (bytes === null) throw new Error(`${where} ${FORMAT}`);
  return importMasterKey(bytes);
}
