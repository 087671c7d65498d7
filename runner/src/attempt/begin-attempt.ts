import { messageOf } from '@switchyard/shared/message-of';
import type { JournalEntry } from '../connection/journal/journal.ts';
import type { AttemptDeps } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { type HeldAttempt, contextOf } from './held-attempt.ts';
import { runAttempt, worldOf } from './run-attempt.ts';

/** Unsealed secrets of a grant; kept in memory only. */
export type UnsealedSecrets = {
  providerApiKey?: string | undefined;
  workSecrets?: Record<string, string> | undefined;
};

/**
 * Starts the attempt of a lease; it fails without a container when its secrets cannot be unsealed.
 */
export function beginAttempt(
  deps: AttemptDeps,
  entry: JournalEntry,
  attemptToken: string,
  unsealed: Promise<UnsealedSecrets>,
): HeldAttempt {
  const token = { value: attemptToken };
  const context = contextOf(deps, entry, { token, apiKey: null });
  const done = unsealed.then(
    ({ providerApiKey, workSecrets }) =>
      runAttempt({ ...context, apiKey: providerApiKey ?? null, secretValues: workSecrets }),
    (error: unknown): AttemptEnd => {
      context.liveness.stop();
      const message = `the provider's key could not be unsealed: ${messageOf(error)}`;
      return {
        outcome: 'failed',
        failureKind: 'auth_failed',
        message,
        marker: null,
        summary: null,
      };
    },
  );
  return { context, token, done };
}

/**
 * Applies a later grant: a new upload token and, after an adoption, the key for the model proxy.
 */
export function renewAccess(
  { context, token }: HeldAttempt,
  attemptToken: string,
  unseal: () => Promise<UnsealedSecrets>,
): void {
  const { ref, spec, deps } = context;
  const { journal, proxy, log } = deps;
  const adopted = token.value === '';
  token.value = attemptToken;
  const tokenHash = journal.get(ref)?.progress.proxyTokenHash;
  if (!adopted || tokenHash === undefined) return;
  const { baseUrl: providerBaseUrl, wireApi } = spec.engine.provider;
  unseal()
    .then(({ providerApiKey, workSecrets }) =>
      proxy.adopt({
        ref,
        providerBaseUrl,
        wireApi,
        apiKey: providerApiKey ?? null,
        tokenHash,
        world: worldOf(spec),
        secretValues: workSecrets,
        isolation: deps.containers.isolation,
      }),
    )
    .catch((error: unknown) =>
      log.error('model access was not renewed', { ...ref, error: messageOf(error) }),
    );
}
