import { hkdfSync } from 'node:crypto';
import type { RunnerIdentity } from './identity.ts';

const BYTES = 32;

/**
 * Secret from which the tokens of this runner's attempts derive: the same in all of its processes.
 */
export function attemptSecret({ sealingKey }: Pick<RunnerIdentity, 'sealingKey'>): Uint8Array {
  const key = Buffer.from(sealingKey.d, 'base64url');
  return new Uint8Array(hkdfSync('sha256', key, '', 'switchyard tokens of attempts', BYTES));
}
