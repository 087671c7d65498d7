import type {
  TrackerConnection,
  TrackerSignIn,
  TrackerSignInAnswer,
  TrackerSignInRequest,
} from '@switchyard/shared/api/admin/tracker-connection';
import { secretReference } from '@switchyard/shared/settings/secret-reference';
import { z } from 'zod';
import { type Caller, SERVICE_CALLER } from '../../../http/caller/caller.ts';
import { AppError } from '../../../errors.ts';
import { equalInConstantTime } from '../../../http/caller/equal-in-constant-time.ts';
import { callTracker } from '../../../issues/call-tracker.ts';
import { deleteSecret } from '../../../config/secrets/delete-secret.ts';
import { setSecret, setSecrets } from '../../../config/secrets/set-secret.ts';
import {
  exchangeLinearCode,
  linearAuthorizeUrl,
  newSignIn,
  renewLinearTokens,
} from '../../../integrations/linear/api/exchange-linear-code.ts';
import { connectTracker } from './connect-tracker.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { linearSettingsOf } from '../../../integrations/linear/linear-settings-of.ts';
import {
  TRACKER_KEY_SECRET,
  TRACKER_OAUTH_SECRET,
  TRACKER_SIGN_IN_SECRET,
} from './tracker-secrets.ts';

/** Time after which a person must start the sign-in again. */
const SIGN_IN_MS = 600_000;
const BEARER = 'Bearer ';

const Application = z.object({ clientId: z.string(), clientSecret: z.string().optional() });
const Pending = Application.extend({
  state: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  expiresAtMs: z.number(),
});
const Kept = Application.extend({ refreshToken: z.string() });

/**
 * Begins a sign-in by OAuth 2 with PKCE and returns the address for the person. A new one replaces
 * one in progress.
 */
export async function beginTrackerSignIn(
  deps: SetupDeps,
  caller: Caller,
  request: TrackerSignInRequest,
): Promise<TrackerSignIn> {
  const { clientId, redirectUri } = request;
  const expiresAtMs = deps.clock.nowMs() + SIGN_IN_MS;
  const { state, verifier } = newSignIn();
  const value = JSON.stringify({ ...request, state, verifier, expiresAtMs });
  await setSecret(deps, { caller, key: TRACKER_SIGN_IN_SECRET, value });
  const endpoint = await endpointOf(deps);
  const parameters = { clientId, redirectUri, state, verifier };
  const authorizeUrl = await linearAuthorizeUrl(endpoint, parameters);
  return { authorizeUrl, expiresAt: new Date(expiresAtMs).toISOString() };
}

/**
 * Completes a sign-in with the parameters that the browser returned. Throws a 409 for an expired or
 * foreign state.
 */
export async function completeTrackerSignIn(
  deps: SetupDeps,
  caller: Caller,
  answer: TrackerSignInAnswer,
): Promise<TrackerConnection> {
  const pending = Pending.safeParse(await readJson(deps, TRACKER_SIGN_IN_SECRET));
  const fits =
    pending.success &&
    deps.clock.nowMs() < pending.data.expiresAtMs &&
    (await equalInConstantTime(answer.state, pending.data.state));
  if (!fits) {
    throw new AppError('conflict', 'no sign-in of this state is under way; start again', {
      reason: 'no_sign_in',
    });
  }
  const { clientId, clientSecret, redirectUri, verifier } = pending.data;
  // A code can be used once, so this sign-in ends whatever the result.
  await deleteSecret(deps, { caller, key: TRACKER_SIGN_IN_SECRET });
  const endpoint = await endpointOf(deps);
  const given = { code: answer.code, redirectUri, verifier };
  const { accessToken, refreshToken } = await callTracker(() =>
    exchangeLinearCode(endpoint, { clientId, clientSecret }, given),
  );
  const renewal = JSON.stringify({ clientId, clientSecret, refreshToken });
  return connectTracker(deps, {
    caller,
    credential: bearer(accessToken),
    secrets: refreshToken === null ? [] : [{ key: TRACKER_OAUTH_SECRET, value: renewal }],
  });
}

/** Renews the access token of a sign-in. False when there is none to renew. */
export async function renewTrackerToken(deps: SetupDeps): Promise<boolean> {
  const { tracker } = await deps.config.load();
  if (tracker.linear?.apiKey !== secretReference(TRACKER_KEY_SECRET)) return false;
  // A key that was entered later does not belong to the sign-in.
  const present = await deps.resolveSecret(TRACKER_KEY_SECRET);
  if (present?.startsWith(BEARER) !== true) return false;
  const kept = Kept.safeParse(await readJson(deps, TRACKER_OAUTH_SECRET));
  if (!kept.success) return false;
  const { refreshToken, ...application } = kept.data;
  const renewed = await renewLinearTokens(await endpointOf(deps), application, refreshToken);
  const caller = { ...SERVICE_CALLER, path: 'tracker' };
  const renewal = JSON.stringify({ ...application, refreshToken: renewed.refreshToken });
  await setSecrets(deps, {
    caller,
    secrets: [
      { key: TRACKER_OAUTH_SECRET, value: renewal },
      { key: TRACKER_KEY_SECRET, value: bearer(renewed.accessToken) },
    ],
  });
  return true;
}

function bearer(token: string): string {
  return `${BEARER}${token}`;
}

async function endpointOf(deps: SetupDeps): Promise<string> {
  const config = await deps.config.load();
  return linearSettingsOf(() => config, deps.resolveSecret).endpoint();
}

async function readJson(deps: SetupDeps, key: string): Promise<unknown> {
  const text = await deps.resolveSecret(key);
  return text === null ? null : (JSON.parse(text) as unknown);
}
