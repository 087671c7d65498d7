import {
  TrackerConnection,
  TrackerKeyRequest,
  TrackerSignIn,
  TrackerSignInAnswer,
  TrackerSignInRequest,
  TrackerWebhook,
  TrackerWebhookRequest,
} from '@switchyard/shared/api/admin/tracker-connection';
import { connectTracker } from './connect-tracker.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { createTrackerWebhook } from './create-tracker-webhook.ts';
import { endpoint, json } from '../../../http/endpoint/endpoint.ts';
import { beginTrackerSignIn, completeTrackerSignIn } from './tracker-sign-in.ts';

const REFUSALS = {
  409: 'The secret cannot be kept, or the configuration is being changed by others',
  502: 'It cannot be reached, or refused',
};

/** Routes that connect Linear by key or sign-in, and create its webhook. */
export function trackerSetupRoutes(deps: SetupDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/setup/tracker/key',
      summary: 'Connect Linear by a key',
      body: TrackerKeyRequest,
      answer: json(200, 'Done', TrackerConnection),
      refusals: REFUSALS,
      handler: ({ body: { apiKey: credential }, caller }) =>
        connectTracker(deps, { caller, credential }),
    }),
    endpoint({
      at: 'POST /api/v1/setup/tracker/sign-in',
      summary: 'Begin to connect Linear by signing in (OAuth 2 with PKCE)',
      body: TrackerSignInRequest,
      answer: json(200, 'Done', TrackerSignIn),
      refusals: { 409: REFUSALS[409] },
      handler: ({ body, caller }) => beginTrackerSignIn(deps, caller, body),
    }),
    endpoint({
      at: 'POST /api/v1/setup/tracker/sign-in/complete',
      summary: 'Complete the sign-in with what the browser brought back',
      body: TrackerSignInAnswer,
      answer: json(200, 'Done', TrackerConnection),
      refusals: { ...REFUSALS, 409: 'No sign-in of this state is under way; start again' },
      handler: ({ body, caller }) => completeTrackerSignIn(deps, caller, body),
    }),
    endpoint({
      at: 'POST /api/v1/setup/tracker/webhook',
      summary: 'Have Linear send what happens to this service',
      body: TrackerWebhookRequest,
      answer: json(200, 'Done', TrackerWebhook),
      refusals: { ...REFUSALS, 422: 'The service has no address that Linear could reach' },
      handler: ({ body: { url }, caller }) => createTrackerWebhook(deps, { caller, url }),
    }),
  ] as const;
}
