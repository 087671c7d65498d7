import { productVersion } from '@switchyard/shared/product-version';
import { hostname } from 'node:os';
import { type RunOptions, defaultName } from './run-options.ts';
import type { Log } from './log.ts';
import { chooseTransport } from './connection/proxy/choose-transport.ts';
import { ConnectionRefused, websocketDial } from './connection/socket/websocket.ts';
import { type RunnerIdentity, loadIdentity, normalUrl } from './identity.ts';
import { joinControlPlane, saveIdentity } from './join-control-plane.ts';
import { mintAccessToken } from './mint-access-token.ts';

const PROBE_TIMEOUT_MS = 5_000;

/**
 * The identity to run with. A runner started by its control plane brings a token, which is used
 * only if that control plane does not know the stored identity, so that restarts keep attempts even
 * if the port changed. Null: never joined and no token.
 */
export async function chooseIdentity(
  options: RunOptions,
  join: { url: string; token: string } | null,
  log: Log,
): Promise<RunnerIdentity | null> {
  const stored = await loadIdentity(options.dataDir);
  if (join === null) return stored;
  const url = normalUrl(join.url);
  if (stored !== null && (await isKnownAt(stored, url))) {
    if (stored.controlPlaneUrl === url) return stored;
    const moved = { ...stored, controlPlaneUrl: url };
    await saveIdentity(options.dataDir, moved);
    return moved;
  }
  log.info('joining', { url, host: hostname() });
  return await joinControlPlane({
    url,
    token: join.token,
    name: stored?.name ?? defaultName(),
    labels: options.labels ?? stored?.labels ?? [],
    dataDir: options.dataDir,
    version: productVersion,
  });
}

/**
 * Whether a control plane knows the identity. At the identity's own address only a clear refusal
 * counts as unknown, since it may still be starting; at another, also no answer.
 */
async function isKnownAt(identity: RunnerIdentity, url: string): Promise<boolean> {
  const token = () => mintAccessToken(identity, Date.now());
  const dial = websocketDial(url, token, await chooseTransport(url));
  const nothing = { text: () => undefined, closed: () => undefined };
  try {
    const channel = await dial(nothing, AbortSignal.timeout(PROBE_TIMEOUT_MS));
    channel.close(1000, 'only asking');
    return true;
  } catch (error) {
    if (error instanceof ConnectionRefused) return ![401, 403, 404].includes(error.status);
    return identity.controlPlaneUrl === url;
  }
}
