import { sha256Hex } from '../sha256-hex.ts';

/**
 * Signs session cookies; made of the tokens, so that a changed token ends every session. Without
 * any, sessions end with the process.
 */
export async function sessionSecret(given: {
  writeToken: string | undefined;
  readToken: string | undefined;
}): Promise<string> {
  const tokens = [given.writeToken ?? '', given.readToken ?? ''];
  if (tokens.every((token) => token === '')) return crypto.randomUUID() + crypto.randomUUID();
  return sha256Hex(JSON.stringify(['switchyard session', ...tokens]));
}
