import { ACCESS_TOKEN_TTL_MS } from '@switchyard/shared/protocol/limits';
import { SignJWT, compactDecrypt, importJWK } from 'jose';
import { z } from 'zod';
import type { RunnerIdentity } from './identity.ts';

const SealedSecrets = z.object({
  providerApiKey: z.string().optional(),
  /** Secrets for the work itself by name. */
  workSecrets: z.record(z.string(), z.string()).optional(),
});
export type SealedSecrets = z.infer<typeof SealedSecrets>;

/** Tolerated difference between the clocks of runner and control plane. */
const CLOCK_SKEW_S = 30;

/** A self-signed JWT for one connection or request of this runner. */
export async function mintAccessToken(identity: RunnerIdentity, nowMs: number): Promise<string> {
  const key = await importJWK(identity.signingKey, 'EdDSA');
  const issuedAt = Math.floor(nowMs / 1_000);
  return await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
    .setIssuer(identity.runnerId)
    .setSubject(identity.runnerId)
    .setAudience(identity.audience)
    .setIssuedAt(issuedAt)
    .setJti(crypto.randomUUID())
    .setExpirationTime(issuedAt + ACCESS_TOKEN_TTL_MS / 1_000 - CLOCK_SKEW_S)
    .sign(key);
}

/**
 * Opens what the control plane sealed for this runner. Throws when it was sealed for another one.
 */
export async function unsealSecrets(
  identity: RunnerIdentity,
  sealed: string,
): Promise<SealedSecrets> {
  return SealedSecrets.parse(await unsealJson(identity, sealed));
}

/** As `unsealSecrets`, for any JSON. */
export async function unsealJson(identity: RunnerIdentity, sealed: string): Promise<unknown> {
  const key = await importJWK(identity.sealingKey, 'ECDH-ES');
  const { plaintext } = await compactDecrypt(sealed, key, {
    keyManagementAlgorithms: ['ECDH-ES', 'ECDH-ES+A256KW'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return JSON.parse(new TextDecoder().decode(plaintext)) as unknown;
}
