import { networkTrouble } from '@switchyard/shared/network/network-trouble';
import type { webcrypto } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, rename, rmdir } from 'node:fs/promises';
import { type JoinRequest, JoinResponse } from '@switchyard/shared/protocol/join';
import { cutText } from '@switchyard/shared/text/cut-text';
import { exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';
import { chooseTransport } from './connection/proxy/choose-transport.ts';
import { withSlash } from './connection/socket/websocket.ts';
import { RunnerIdentity, identityPath, loadIdentity, normalUrl } from './identity.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { causeCode, causesOf } from '@switchyard/shared/causes-of';
import { messageOf } from '@switchyard/shared/message-of';

const JOIN_TIMEOUT_MS = 15_000;
const MAX_FORMER = 8;

/** The control plane refused to let the runner join; a new token may help. */
export class JoinRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JoinRefused';
  }
}

/**
 * Creates two key pairs, uses a one-time token and stores the identity (0600). Nothing is stored
 * when the control plane refuses. Throws JoinRefused, or an error about the connection or an
 * unwritable folder; the token is then still valid.
 */
export async function joinControlPlane(options: {
  url: string;
  token: string;
  name: string;
  labels: string[];
  dataDir: string;
  version: string;
}): Promise<RunnerIdentity> {
  const controlPlaneUrl = normalUrl(options.url);
  const stored = await loadIdentity(options.dataDir);
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'X25519', extractable: true });
  const request: JoinRequest = {
    name: options.name,
    labels: options.labels,
    keys: {
      signing: await publicJwk(signing.publicKey),
      sealing: await publicJwk(sealing.publicKey),
    },
    version: options.version,
  };
  // Created before the token is used.
  const created = await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  await access(options.dataDir, constants.W_OK | constants.X_OK);
  const response = await postJoin(controlPlaneUrl, options.token, request).catch(
    async (error: unknown) => {
      if (created !== undefined) await rmdir(options.dataDir).catch(() => undefined);
      throw error;
    },
  );
  const identity = RunnerIdentity.parse({
    version: 1,
    controlPlaneUrl,
    name: options.name,
    formerRunnerIds:
      stored === null ? [] : [...stored.formerRunnerIds, stored.runnerId].slice(-MAX_FORMER),
    ...response,
    signingKey: await exportJWK(signing.privateKey),
    sealingKey: await exportJWK(sealing.privateKey),
  });
  await saveIdentity(options.dataDir, identity);
  return identity;
}

async function publicJwk(key: webcrypto.CryptoKey): Promise<Record<string, unknown>> {
  return { ...(await exportJWK(key)) };
}

/** The message of a refusal for a terminal: the API's error, or the start of any other response. */
function wordsIn(text: string): string {
  const refusal = z.object({ error: z.string() }).safeParse(parseJson(text));
  const message = refusal.success ? refusal.data.error : text;
  return cutText(message.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' '), 300);
}

/** The cause of a network failure, which fetch's own message omits. */
function networkMessage(error: unknown): string {
  const code = causeCode(error);
  return code === null ? messageOf(causesOf(error).at(-1) ?? error) : networkTrouble(code);
}

async function postJoin(
  controlPlaneUrl: string,
  token: string,
  request: JoinRequest,
): Promise<JoinResponse> {
  const transport = await chooseTransport(controlPlaneUrl);
  const url = new URL('api/v1/runners/join', withSlash(controlPlaneUrl));
  const asked = transport.fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: toJson(request),
    signal: AbortSignal.timeout(JOIN_TIMEOUT_MS),
  });
  const response = await asked.catch((error: unknown) => {
    throw new Error(
      `${controlPlaneUrl} does not answer (${networkMessage(error)}); check the address, and that a control plane runs there`,
      { cause: error },
    );
  });
  const text = await response.text();
  if (!response.ok) {
    throw new JoinRefused(
      `${controlPlaneUrl} did not let this runner join: ${wordsIn(text)} (${response.status})`,
    );
  }
  return JoinResponse.parse(JSON.parse(text));
}

/** Written beside and renamed, so that a crash leaves either the old or the new identity. */
export async function saveIdentity(dataDir: string, identity: RunnerIdentity): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = identityPath(dataDir);
  const draft = `${path}.${process.pid}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(identity, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
