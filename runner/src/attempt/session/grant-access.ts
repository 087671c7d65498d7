import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { messageOf } from '@switchyard/shared/message-of';
import type { AttemptContext, ProxyGrant, WorldAccess } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';
import type { Companion } from '../companions/companion.ts';

/** The network access of an attempt besides its provider. */
export function worldOf(spec: AttemptSpec): WorldAccess {
  const { egress, secrets } = spec.sandbox;
  return { egress, secrets, repositoryUrl: spec.repository.url };
}

/** Gives an attempt its access to the model provider and the network. */
export async function grantAccess(context: AttemptContext): Promise<ProxyGrant> {
  const { deps, ref, spec, apiKey, secretValues, control } = context;
  try {
    const grant = await deps.proxy.grant({
      ref,
      providerBaseUrl: spec.engine.provider.baseUrl,
      wireApi: spec.engine.provider.wireApi,
      apiKey,
      world: worldOf(spec),
      secretValues,
      isolation: deps.containers.isolation,
    });
    control.check();
    return grant;
  } catch (error) {
    control.check();
    throw new AttemptFailed('agent_error', `no way to the model provider: ${messageOf(error)}`);
  }
}

/** Ends the access of an attempt with its engine, or after its checks, which have it too. */
export function revokeAccess({ deps, ref, spec }: AttemptContext): Companion {
  const name = 'the access to the model provider';
  const revoke = (): Promise<void> => deps.proxy.revoke(ref);
  return spec.checks === undefined ? { name, engineEnded: revoke } : { name, attemptEnded: revoke };
}
