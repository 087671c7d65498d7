import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import type { Caller } from '../audit/caller.ts';
import { AppError } from '../errors.ts';
import { callerOf } from './caller.ts';
import { errorResponses } from './error-responses.ts';
import type { Sessions } from './sessions.ts';
import type { TokenVerifier } from './tokens.ts';

const SessionRequest = z
  .strictObject({ token: z.string().min(1).max(4_096) })
  .meta({ id: 'SessionRequest' });
const Session = z
  .object({
    actor: z.string(),
    scope: z.enum(['read', 'operate', 'admin']),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Session' });

type SessionRouteDeps = {
  tokens: TokenVerifier;
  sessions: Sessions;
  /** Writes down who signed in. */
  recordSignIn: (caller: Caller) => Promise<void>;
};

/** Signing in and out of the dashboard from another machine. */
export function sessionRoutes(deps: SessionRouteDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/session',
        operationId: 'beginSession',
        tags: ['Access'],
        summary: 'Exchange a token for a session cookie',
        request: {
          body: { required: true, content: { 'application/json': { schema: SessionRequest } } },
        },
        responses: {
          200: {
            description: 'Signed in; the cookie is HttpOnly and SameSite=Strict',
            content: { 'application/json': { schema: Session } },
          },
          ...errorResponses(400, 413, 415),
        },
      }),
      handler: async (c) => {
        const principal = await deps.tokens.verify(c.req.valid('json').token);
        if (principal === null) {
          throw new AppError('unauthorized', 'the token is wrong', {
            headers: { 'WWW-Authenticate': 'Bearer' },
          });
        }
        await deps.recordSignIn({ ...callerOf(c), actor: principal.name });
        const endsAtMs = await deps.sessions.begin(c, principal);
        const expiresAt = new Date(endsAtMs).toISOString();
        return c.json({ actor: principal.name, scope: principal.scope, expiresAt }, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'delete',
        path: '/api/v1/session',
        operationId: 'endSession',
        tags: ['Access'],
        summary: 'Sign out',
        responses: { 204: { description: 'Signed out' } },
      }),
      handler: (c) => {
        deps.sessions.end(c);
        return c.body(null, 204);
      },
    }),
  ] as const;
}
