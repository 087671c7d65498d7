import { leaseKey } from '../../connection/lease-ref.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';

/** Lists the live session for operators, who may ask its engine something. */
export function shareSession({ deps, ref }: Pick<AttemptContext, 'deps' | 'ref'>): Companion {
  return {
    name: 'the list of live sessions',
    sessionOpened(session) {
      deps.sessions?.add(leaseKey(ref), session);
      return session;
    },
    sessionClosing: () => deps.sessions?.delete(leaseKey(ref)),
  };
}
