import { z } from 'zod';
import { namedObject, strictNamedObject } from '../named-object.ts';

/** Public keys of the two key pairs that a runner generates on its own host. */
const RunnerKeys = z.object({
  /** Ed25519 public JWK, which verifies the runner's access tokens. */
  signing: z.record(z.string(), z.unknown()),
  /** X25519 public JWK, to which secrets are sealed. */
  sealing: z.record(z.string(), z.unknown()),
});

/** `POST /api/v1/runners/join` with the one-time token as bearer. */
export const JoinRequest = strictNamedObject('JoinRequest', {
  name: z.string().min(1).max(128),
  labels: z.array(z.string().max(128)).max(64),
  keys: RunnerKeys,
  version: z.string().max(64),
});
export type JoinRequest = z.infer<typeof JoinRequest>;

export const JoinResponse = namedObject('JoinResponse', {
  runnerId: z.string(),
  /** Audience that the runner's access tokens must name. */
  audience: z.string(),
  /** Labels that the control plane granted of those requested. */
  labels: z.array(z.string()),
});
export type JoinResponse = z.infer<typeof JoinResponse>;
