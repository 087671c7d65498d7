import { createHash } from 'node:crypto';

/** Signs session cookies; made of the tokens, so that a changed token ends every session. */
export function sessionSecret(given: {
  writeToken: string | undefined;
  readToken: string | undefined;
}): string | null {
  const tokens = [given.writeToken ?? '', given.readToken ?? ''];
  if (tokens.every((token) => token === '')) return null;
  return createHash('sha256')
    .update(JSON.stringify(['switchyard session', ...tokens]))
    .digest('hex');
}
