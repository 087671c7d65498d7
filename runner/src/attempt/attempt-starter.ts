import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { messageOf } from '@switchyard/shared/message-of';
import type { Journal, JournalEntry } from '../connection/journal/journal.ts';
import type { Lease } from '../connection/lease.ts';
import type { ContainerEngine, EngineContainer } from '../container/container-engine.ts';
import type { Log } from '../log.ts';
import { adoptAttempt } from './adopt-attempt.ts';
import type { AttemptContext } from './attempt-deps.ts';
import type { AttemptEnd } from './attempt-end.ts';
import type { ContextOf, HeldAttempt } from './held-attempt.ts';
import { runAttempt } from './run-attempt.ts';
import { worldOf } from './session/grant-access.ts';

/** Unsealed secrets of a grant; kept in memory only. */
type UnsealedSecrets = {
  providerApiKey?: string | undefined;
  workSecrets?: Record<string, string> | undefined;
};
type Grant = ControlPlaneMessageOf<'granted'>;

export type AttemptStarterDeps = {
  contextOf: ContextOf;
  journal: Journal;
  containers: ContainerEngine;
  lease: Pick<Lease, 'isLive'>;
  unseal(sealed: string): Promise<UnsealedSecrets>;
  log: Log;
};

/** Starts attempts, takes over those of a former process, and applies later grants to both. */
export class AttemptStarter {
  readonly #deps: AttemptStarterDeps;

  constructor(deps: AttemptStarterDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the attempt of an accepted lease; it fails without a container when its secrets cannot
   * be unsealed. Null: the runner has no live lease, without which no container may
   * start, or the journal does not know this one.
   */
  start(grant: Grant): HeldAttempt | null {
    const { contextOf, journal, containers, lease, log } = this.#deps;
    const { attemptId, epoch, attemptToken } = grant;
    const ref = { attemptId, epoch };
    if (!lease.isLive()) {
      log.warn('a grant came too late to be used', ref);
      return null;
    }
    const { isolation } = containers;
    journal.update(ref, { granted: true, phase: 'starting', progress: { isolation } });
    const entry = journal.get(ref);
    if (entry === null) return null;
    const token = { value: attemptToken };
    const context = contextOf(entry, token);
    return { context, token, done: runUnsealed(context, this.#unseal(grant)) };
  }

  /** Continues an attempt with a container that a former process started. */
  adopt(entry: JournalEntry, container: EngineContainer, attemptToken: string): HeldAttempt {
    const token = { value: attemptToken };
    const context = this.#deps.contextOf(entry, token);
    return { context, token, done: adoptAttempt(context, entry, container) };
  }

  /**
   * Applies a later grant: a new upload token and, after an adoption, the key for the model proxy.
   */
  renew({ context, token }: HeldAttempt, grant: Grant): void {
    const { ref, spec, deps } = context;
    const { journal, proxy, log } = deps;
    const adopted = token.value === '';
    token.value = grant.attemptToken;
    const tokenHash = journal.get(ref)?.progress.proxyTokenHash;
    if (!adopted || tokenHash === undefined) return;
    const { baseUrl: providerBaseUrl, wireApi } = spec.engine.provider;
    this.#unseal(grant)
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

  #unseal({ sealedSecrets }: Grant): Promise<UnsealedSecrets> {
    return sealedSecrets === undefined ? Promise.resolve({}) : this.#deps.unseal(sealedSecrets);
  }
}

function runUnsealed(
  context: AttemptContext,
  unsealed: Promise<UnsealedSecrets>,
): Promise<AttemptEnd | null> {
  return unsealed.then(
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
}
