import type { SessionSecret } from '../../control-plane/src/http/sessions/session-secret.ts';

/** A session secret in memory. */
export function testSessionSecret(value = 'a-session-secret-of-the-test'): SessionSecret {
  let turn = 0;
  const now = () => Promise.resolve(`${value}-${turn}`);
  return { read: now, ensure: now, rotate: () => Promise.resolve(void (turn += 1)) };
}
