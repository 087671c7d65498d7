import { createHash, randomBytes } from 'node:crypto';

/**
 * Signs session cookies; made of the tokens, so that a changed token ends every session. Without
 * any, sessions end with the process.
 */
export function sessionSecret(given: {
  writeToken: string | undefined;
  readToken: string | undefined;
}): string {
  const tokens = [given.writeToken ?? '', given.readToken ?? ''];
  if (tokens.every((token) => token === '')) return randomBytes(32).toString('hex');
  return createHash('sha256')
    .update(JSON.stringify(['switchyard session', ...tokens]))
    .digest('hex');
}
