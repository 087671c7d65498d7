import { productVersion } from '@switchyard/shared/product-version';
import { cutText } from '@switchyard/shared/text/cut-text';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hkdfSync } from 'node:crypto';

const ATTEMPT_SECRET_BYTES = 32;

const Jwk = z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), d: z.string() });

/** Format of the file; a later version may use another. */
const FORMAT = 1;
const Newer = z.object({ version: z.int().gt(FORMAT) });

/** A runner's identity for one control plane. The private keys never leave the file. */
export const RunnerIdentity = z.object({
  version: z.literal(FORMAT),
  controlPlaneUrl: z.string(),
  runnerId: z.string(),
  audience: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  /** Former identities of this data folder, whose containers are ended. */
  formerRunnerIds: z.array(z.string()).default([]),
  /** Ed25519: signs access tokens. */
  signingKey: Jwk,
  /** X25519: opens sealed secrets. */
  sealingKey: Jwk,
});
export type RunnerIdentity = z.infer<typeof RunnerIdentity>;

export function identityPath(dataDir: string): string {
  return join(dataDir, 'identity.json');
}

/**
 * The normal form of a control plane's url: no trailing slash, no query. Throws on anything but
 * http(s).
 */
export function normalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new Error(`not the address of a control plane: ${JSON.stringify(cutText(text, 200))}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * The stored identity; null when this data folder never joined. Throws when the file is damaged or
 * from a newer version.
 */
export async function loadIdentity(dataDir: string): Promise<RunnerIdentity | null> {
  const path = identityPath(dataDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const content: unknown = JSON.parse(text);
  const newer = Newer.safeParse(content).data;
  if (newer !== undefined) {
    throw new Error(
      `a newer Switchyard wrote ${path} (format ${newer.version}, ${productVersion} knows ${FORMAT}); ` +
        'run that version, or give this one another folder with --data-dir',
    );
  }
  const parsed = RunnerIdentity.safeParse(content);
  if (!parsed.success) throw new Error(`${path} is damaged; move it away and join again`);
  return parsed.data;
}

/**
 * Secret from which the tokens of this runner's attempts derive: the same in all of its processes.
 */
export function attemptSecret({ sealingKey }: Pick<RunnerIdentity, 'sealingKey'>): Uint8Array {
  const key = Buffer.from(sealingKey.d, 'base64url');
  return new Uint8Array(
    hkdfSync('sha256', key, '', 'switchyard tokens of attempts', ATTEMPT_SECRET_BYTES),
  );
}
