import { z } from '@hono/zod-openapi';
import { TokenScope } from '@switchyard/shared/api/admin/token';
import type { Context } from 'hono';
import type { Caller } from '../caller/caller.ts';
import type { HttpEnv } from '../bindings.ts';
import { AppError } from '../../errors.ts';
import { type AccessPolicy, credentialOf, LOCAL_PERSON } from './authorize.ts';
import { requireOwnPage } from './refuse-cross-site-requests.ts';
import type { SessionSecret } from '../sessions/session-secret.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SignInCodes } from '../sessions/sign-in-codes.ts';
import { endpoint, json, nothing } from '../endpoint/endpoint.ts';
import type { Principal, TokenVerifier } from '../caller/environment-tokens.ts';
import { namedObject } from '@switchyard/shared/named-object';

const SessionRequest = z
  .union([
    z.strictObject({ token: z.string().min(1).max(4_096) }),
    z.strictObject({ code: z.string().min(1).max(200) }),
  ])
  .meta({ id: 'SessionRequest' });
const Session = namedObject('Session', {
  actor: z.string(),
  scope: TokenScope,
  expiresAt: z.iso.datetime(),
});
const SeenCaller = namedObject('SeenCaller', {
  actor: z.string().describe('Name in the audit; `anonymous` for nobody in particular.'),
  scope: TokenScope.nullable().describe('The most that this caller may do.'),
  fromLoopback: z.boolean().describe('Whether the service takes the connection for this machine.'),
  remoteChanges: z.boolean().describe('Whether anybody may change things from elsewhere.'),
});
const SignInCode = namedObject('SignInCode', { code: z.string(), expiresAt: z.iso.datetime() });

type SessionRouteDeps = {
  tokens: TokenVerifier;
  local?: AccessPolicy['local'];
  sessions: Sessions;
  sessionSecret: Pick<SessionSecret, 'rotate'>;
  codes: SignInCodes;
  /** Records a sign-in in the audit log. */
  recordSignIn: (caller: Caller) => Promise<void>;
};

/** Routes that sign in to and out of the dashboard, and describe the caller. */
export function sessionRoutes(deps: SessionRouteDeps) {
  return [...ownSessionRoutes(deps), ...otherSessionRoutes(deps)] as const;
}

function ownSessionRoutes(deps: SessionRouteDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/session',
      operationId: 'getSession',
      summary: 'How the service sees this caller',
      answer: json(200, 'What the caller is taken for', SeenCaller),
      noStore: true,
      handler: ({ c, caller: { actor } }) => ({ actor, ...c.get('seenAs') }),
    }),
    endpoint({
      at: 'POST /api/v1/session',
      operationId: 'beginSession',
      summary: 'Exchange a token or a one-time code for a session cookie',
      body: SessionRequest,
      answer: json(200, 'Signed in; the cookie is HttpOnly and SameSite=Strict', Session),
      handler: ({ c, body, caller }) => beginSession(deps, c, { given: body, caller }),
    }),
    endpoint({
      at: 'DELETE /api/v1/session',
      operationId: 'endSession',
      summary: 'Sign out',
      answer: nothing('Signed out'),
      handler: ({ c }) => deps.sessions.end(c),
    }),
  ] as const;
}

function otherSessionRoutes(deps: SessionRouteDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/session/codes',
      operationId: 'createSignInCode',
      summary: 'Make a one-time code that signs a browser on this machine in',
      answer: json(201, 'The code', SignInCode),
      noStore: true,
      showsSecret: true,
      handler: async ({ caller }) => {
        // Otherwise a token's holder would appear as somebody else in the audit log.
        if (caller.actor !== LOCAL_PERSON.name) {
          throw new AppError('forbidden', 'only somebody at this machine can make a sign-in link', {
            reason: 'not_local',
          });
        }
        const { code, expiresAtMs } = await deps.codes.make();
        return { code, expiresAt: new Date(expiresAtMs).toISOString() };
      },
    }),
    endpoint({
      at: 'DELETE /api/v1/sessions',
      operationId: 'endAllSessions',
      summary: 'Sign everybody out everywhere',
      answer: nothing('Every session has ended'),
      handler: async ({ c, caller }) => {
        await deps.sessionSecret.rotate(caller);
        deps.sessions.end(c);
      },
    }),
  ] as const;
}

async function beginSession(
  deps: SessionRouteDeps,
  c: Context<HttpEnv>,
  { given, caller }: { given: z.infer<typeof SessionRequest>; caller: Caller },
) {
  requireOwnPage(c.req.raw, "another site's page cannot sign anybody in");
  const { fromLoopback } = c.get('seenAs');
  const principal =
    'token' in given
      ? await holderOf(deps, given.token)
      : await redeemer(deps, { code: given.code, fromLoopback });
  const credential = await credentialOf({ ...deps, local: deps.local, fromLoopback }, principal);
  if (credential === null) throw refused('the token is not valid any more');
  await deps.recordSignIn({ ...caller, actor: principal.name });
  const endsAtMs = await deps.sessions.begin(c, principal, credential);
  const expiresAt = new Date(endsAtMs).toISOString();
  return { actor: principal.name, scope: principal.scope, expiresAt };
}

async function holderOf({ tokens }: SessionRouteDeps, token: string): Promise<Principal> {
  const principal = await tokens.verify(token);
  if (principal === null) throw refused('the token is wrong');
  return principal;
}

/** Codes are valid only for browsers on this machine, so that a leaked one is useless elsewhere. */
async function redeemer(
  { codes }: SessionRouteDeps,
  { code, fromLoopback }: { code: string; fromLoopback: boolean },
): Promise<Principal> {
  if (fromLoopback && (await codes.redeem(code))) return LOCAL_PERSON;
  throw refused(
    'the sign-in link was used, is older than 5 minutes or is for another machine: "switchyard open" makes a new one',
  );
}

function refused(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
