import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import type { Caller } from '../../observe/audit/caller.ts';
import { AppError } from '../../errors.ts';
import { jsonContent } from '../../json-content.ts';
import { type AccessPolicy, credentialOf, LOCAL_PERSON } from './authorize.ts';
import { callerOf } from '../caller/caller.ts';
import { errorResponses } from '../error-responses.ts';
import { isOwnPage } from '../caller/is-local.ts';
import { SESSION_PATH } from '../request-paths.ts';
import type { SessionSecret } from '../sessions/session-secret.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SignInCodes } from '../sessions/sign-in-codes.ts';
import type { Principal, TokenVerifier } from '../caller/tokens.ts';

const Scope = z.enum(['read', 'operate', 'admin']);
const SessionRequest = z
  .union([
    z.strictObject({ token: z.string().min(1).max(4_096) }),
    z.strictObject({ code: z.string().min(1).max(200) }),
  ])
  .meta({ id: 'SessionRequest' });
const Session = z
  .object({ actor: z.string(), scope: Scope, expiresAt: z.iso.datetime() })
  .meta({ id: 'Session' });
const SeenCaller = z
  .object({
    actor: z.string().describe('Name in the audit; `anonymous` for nobody in particular.'),
    scope: Scope.nullable().describe('The most that this caller may do.'),
    fromLoopback: z
      .boolean()
      .describe('Whether the service takes the connection for this machine.'),
    remoteChanges: z.boolean().describe('Whether anybody may change things from elsewhere.'),
  })
  .meta({ id: 'SeenCaller' });
const SignInCode = z
  .object({ code: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'SignInCode' });

type SessionRouteDeps = {
  tokens: TokenVerifier;
  local?: AccessPolicy['local'];
  sessions: Sessions;
  sessionSecret: Pick<SessionSecret, 'rotate'>;
  codes: SignInCodes;
  /** Writes down who signed in. */
  recordSignIn: (caller: Caller) => Promise<void>;
};

/** Signing in and out of the dashboard, and how the service sees a caller. */
export function sessionRoutes(deps: SessionRouteDeps) {
  return [
    seenRoute(),
    beginRoute(deps),
    endRoute(deps),
    codeRoute(deps),
    endAllRoute(deps),
  ] as const;
}

function seenRoute() {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: SESSION_PATH,
      operationId: 'getSession',
      tags: ['Access'],
      summary: 'How the service sees this caller',
      responses: {
        200: jsonContent('What the caller is taken for', SeenCaller),
        ...errorResponses(),
      },
    }),
    handler: (c) => {
      c.header('Cache-Control', 'no-store');
      return c.json({ actor: callerOf(c).actor, ...c.get('seenAs') }, 200);
    },
  });
}

function beginRoute(deps: SessionRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: SESSION_PATH,
      operationId: 'beginSession',
      tags: ['Access'],
      summary: 'Exchange a token or a one-time code for a session cookie',
      request: {
        body: { required: true, content: { 'application/json': { schema: SessionRequest } } },
      },
      responses: {
        200: jsonContent('Signed in; the cookie is HttpOnly and SameSite=Strict', Session),
        ...errorResponses(400, 403, 413, 415),
      },
    }),
    handler: async (c) => {
      if (!isOwnPage(c.req.raw)) {
        throw new AppError('forbidden', "another site's page cannot sign anybody in", {
          reason: 'foreign_page',
        });
      }
      const given = c.req.valid('json');
      const { fromLoopback } = c.get('seenAs');
      const principal =
        'token' in given
          ? await holderOf(deps, given.token)
          : await redeemer(deps, given.code, fromLoopback);
      const credential = await credentialOf(
        { ...deps, local: deps.local, fromLoopback },
        principal,
      );
      if (credential === null) throw refused('the token is not valid any more');
      await deps.recordSignIn({ ...callerOf(c), actor: principal.name });
      const endsAtMs = await deps.sessions.begin(c, principal, credential);
      const expiresAt = new Date(endsAtMs).toISOString();
      return c.json({ actor: principal.name, scope: principal.scope, expiresAt }, 200);
    },
  });
}

async function holderOf({ tokens }: SessionRouteDeps, token: string): Promise<Principal> {
  const principal = await tokens.verify(token);
  if (principal === null) throw refused('the token is wrong');
  return principal;
}

/** Codes are for browsers on this machine: one that leaked is of no use elsewhere. */
async function redeemer(
  { codes }: SessionRouteDeps,
  code: string,
  fromLoopback: boolean,
): Promise<Principal> {
  if (fromLoopback && (await codes.redeem(code))) return LOCAL_PERSON;
  throw refused(
    'the sign-in link was used, is older than 5 minutes or is for another machine: "npm run open" makes a new one',
  );
}

function refused(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function endRoute(deps: SessionRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: SESSION_PATH,
      operationId: 'endSession',
      tags: ['Access'],
      summary: 'Sign out',
      responses: { 204: { description: 'Signed out' } },
    }),
    handler: (c) => {
      deps.sessions.end(c);
      return c.body(null, 204);
    },
  });
}

function codeRoute(deps: SessionRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/session/codes',
      operationId: 'createSignInCode',
      tags: ['Access'],
      summary: 'Make a one-time code that signs a browser on this machine in',
      responses: { 201: jsonContent('The code', SignInCode), ...errorResponses(403) },
    }),
    handler: async (c) => {
      // Else a token's holder would become somebody else in the audit.
      if (callerOf(c).actor !== LOCAL_PERSON.name) {
        throw new AppError('forbidden', 'only somebody at this machine can make a sign-in link', {
          reason: 'not_local',
        });
      }
      const { code, expiresAtMs } = await deps.codes.make();
      c.header('Cache-Control', 'no-store');
      return c.json({ code, expiresAt: new Date(expiresAtMs).toISOString() }, 201);
    },
  });
}

function endAllRoute(deps: SessionRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'delete',
      path: '/api/v1/sessions',
      operationId: 'endAllSessions',
      tags: ['Access'],
      summary: 'Sign everybody out everywhere',
      responses: { 204: { description: 'Every session has ended' }, ...errorResponses(403) },
    }),
    handler: async (c) => {
      await deps.sessionSecret.rotate(callerOf(c));
      deps.sessions.end(c);
      return c.body(null, 204);
    },
  });
}
