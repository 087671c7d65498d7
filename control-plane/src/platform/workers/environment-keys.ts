import { importMasterKey, parseMasterKey } from '../../config/secrets/master-key.ts';
import type { MasterKeys } from '../../config/secrets/master-keys.ts';
import { NotReady } from './not-ready.ts';

const CURRENT = 'SERVICE_MASTER_KEY';
const PREVIOUS = 'SERVICE_MASTER_KEY_PREVIOUS';

/**
 * The master keys from the Worker's secrets, because there is no file. Throws, with advice, when
 * there is none or one is malformed.
 */
export async function environmentKeys(
  variables: Readonly<Record<string, string | undefined>>,
): Promise<MasterKeys> {
  const given = variables[CURRENT] ?? '';
  if (given === '')
    throw new NotReady(`${CURRENT} is missing: \`switchyard deploy\` makes and sets one`);
  const older = (variables[PREVIOUS] ?? '').split(',').filter((text) => text.trim() !== '');
  const [current, ...previous] = await Promise.all([
    keyOf(given, CURRENT),
    ...older.map((text) => keyOf(text, PREVIOUS)),
  ]);
  return {
    current: () => Promise.resolve(current),
    find: (id) => Promise.resolve([current, ...previous].find((key) => key.id === id) ?? null),
    renew: null,
  };
}

async function keyOf(text: string, name: string) {
  const bytes = parseMasterKey(text);
  if (bytes === null) throw new NotReady(`${name} must be 32 bytes as base64 or as 64 hex digits`);
  return importMasterKey(bytes);
}
