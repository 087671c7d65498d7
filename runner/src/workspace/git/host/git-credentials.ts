import { z } from 'zod';
import type { GitCredential } from '../askpass.ts';
import type { RefusedCredential } from './refused-credential.ts';
import { CallError, type CallTable } from '../../../connection/calls.ts';
import { type Clock, sleep } from '../../../connection/clock.ts';

const CALL_TIMEOUT_MS = 30_000;
/** A lost connection is usually restored soon. */
const TRIES = 4;
const RETRY_MS = 2_000;

const Credential = z.object({ username: z.string(), password: z.string() });

/**
 * Requests from the control plane what git needs for a remote. Answers are cached in memory for as
 * long as the control plane allows, and renewed before they expire. Null: nothing is needed. If
 * they are refused, git uses what the host has. Throws CallError: `host_auth_failed` when the code
 * host gives no access, else a temporary failure.
 */
export function createGitCredentials(deps: {
  calls: Pick<CallTable, 'call'>;
  clock: Clock;
  /** Opens what is sealed for this runner. */
  open: (sealed: string) => Promise<unknown>;
}): (remoteUrl: string) => Promise<GitCredential | RefusedCredential | null> {
  const known = new Map<string, { credential: GitCredential; endMs: number }>();
  return async (repositoryUrl) => {
    const kept = known.get(repositoryUrl);
    if (kept !== undefined && kept.endMs > deps.clock.monotonicMs()) return kept.credential;
    known.delete(repositoryUrl);
    const answer = await ask(deps, repositoryUrl);
    if (answer === null || 'refused' in answer) return answer;
    if (answer.sealed === null) return null;
    const credential = Credential.parse(await deps.open(answer.sealed));
    known.set(repositoryUrl, {
      credential,
      endMs: deps.clock.monotonicMs() + answer.reusableMs,
    });
    return credential;
  };
}

async function ask(
  { calls, clock }: { calls: Pick<CallTable, 'call'>; clock: Clock },
  repositoryUrl: string,
) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await calls.call('git.credentials', { repositoryUrl }, CALL_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // An older control plane does not support this call.
      if (error.code === 'UNSUPPORTED') return null;
      if (error.code === 'REFUSED') return { refused: error.message };
      const isTransient = error.code === 'disconnected' || error.code === 'timeout';
      if (!isTransient || tries >= TRIES) throw error;
    }
    await sleep(clock, RETRY_MS);
  }
}
