import { compactDecrypt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ACCESS_TOKEN_TTL_MS } from '@switchyard/shared/protocol/limits';
import type { JoinRequest } from '@switchyard/shared/protocol/join';

export type TokenFaults = {
  audience?: string;
  lifeMs?: number;
  issuedAtMs?: number;
  subject?: string;
};

/** The keys of one runner, as it makes them on its own host. */
export type RunnerIdentity = {
  joinRequest(labels?: string[]): JoinRequest;
  /** What was sealed to this runner. */
  open(sealed: string): Promise<unknown>;
  accessToken(
    input: { runnerId: string; audience: string; nowMs: number } & TokenFaults,
  ): Promise<string>;
};

export async function createRunnerIdentity(name = 'bench'): Promise<RunnerIdentity> {
  const signing = await generateKeyPair('EdDSA', { extractable: true });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'X25519', extractable: true });
  const keys = {
    signing: { ...(await exportJWK(signing.publicKey)) },
    sealing: { ...(await exportJWK(sealing.publicKey)) },
  };
  return {
    async open(sealed) {
      const { plaintext } = await compactDecrypt(sealed, sealing.privateKey);
      return JSON.parse(new TextDecoder().decode(plaintext)) as unknown;
    },
    joinRequest: (labels = []) => ({ name, labels, keys, version: '0.0.0-test' }),
    accessToken({
      runnerId,
      audience,
      nowMs,
      lifeMs = ACCESS_TOKEN_TTL_MS,
      issuedAtMs = nowMs,
      subject,
    }) {
      return new SignJWT()
        .setProtectedHeader({ alg: 'EdDSA' })
        .setSubject(subject ?? runnerId)
        .setIssuer(subject ?? runnerId)
        .setAudience(audience)
        .setIssuedAt(Math.floor(issuedAtMs / 1_000))
        .setExpirationTime(Math.floor((issuedAtMs + lifeMs) / 1_000))
        .sign(signing.privateKey);
    },
  };
}
