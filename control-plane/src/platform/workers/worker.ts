import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createApp } from '../../app.ts';
import { requireAttempt } from '../../attempts/queries.ts';
import type { Deps } from '../../deps.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { authenticateRunner } from '../../runners/admin/authenticate-runner.ts';
import { assetRoutes } from './asset-routes.ts';
import { CLIENT_HEADER } from './objects/client-header.ts';
import { eventsHub } from './hub-signal.ts';
import { createRequestWriter } from './database/create-object-writer.ts';
import { memoizeAsync } from './memoize-async.ts';
import { notReadyAnswer } from './not-ready.ts';
import { shardByName, shardNameOf } from './shard-name-of.ts';
import { remoteRunners } from './remote-runners.ts';
import { coordinatorId, startWorkerCore } from './start-worker-core.ts';
import { workerAccess } from './worker-access.ts';
import type { WorkerEnv } from './worker-env.ts';
import { workerLogger } from './worker-logger.ts';

export { Coordinator } from './objects/coordinator.ts';
export { DatabaseWriter } from './objects/database-writer.ts';
export { EventsHub } from './objects/events-hub.ts';
export { RunnerPool } from './objects/runner-pool.ts';

let started: (() => ReturnType<typeof start>) | null = null;

export default {
  async fetch(request, env, ctx) {
    started ??= memoizeAsync(() => start(env));
    // Other requests share this start, so it must not be aborted when the client disconnects.
    const made = await keptAlive(ctx, started()).catch((error: unknown) => ({ error }));
    if ('error' in made) {
      workerLogger(env).error('the core did not start or failed', { error: String(made.error) });
      return notReadyAnswer(made.error);
    }
    const address = request.headers.get('CF-Connecting-IP');
    return keptAlive(
      ctx,
      Promise.resolve(made.app.fetch(request, { remoteAddress: remote(address) })),
    );
  },
  async scheduled(_event, env) {
    await env.COORDINATOR.get(coordinatorId(env)).ensureAlarm();
  },
} satisfies ExportedHandler<WorkerEnv>;

async function start(env: WorkerEnv) {
  const { deps, variables } = await startWorkerCore(
    env,
    ({ background }) => ({ connections: remoteRunners(env, background) }),
    createRequestWriter(env),
  );
  const access = await workerAccess({ deps, variables });
  const app = createApp(deps, {
    ...access,
    platformRoutes: (routes) => {
      // The public origin is that of the first request that `authorize` lets through, since any
      // client may name another host.
      routes.use(async (c, next) => {
        deps.service.publicOrigin ??= new URL(c.req.url).origin;
        await next();
      });
      objectRoutes(routes, env, deps);
      assetRoutes(routes, env.ASSETS);
    },
  });
  return { app };
}

/**
 * Passes requests that belong to an object on to it after authentication: strangers wake no object.
 * The pool checks again, including whether the runner was revoked meanwhile.
 */
function objectRoutes(
  app: OpenAPIHono<HttpEnv>,
  env: WorkerEnv,
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
): void {
  const toPool = async (request: Request) => {
    const runner = await authenticateRunner(deps, request.headers.get('Authorization'));
    return shardByName(env, shardNameOf(env, runner.runner_id)).fetch(request);
  };
  app.get('/api/v1/runners/connect', async (c, next) => {
    if (c.req.header('upgrade')?.toLowerCase() === 'websocket') return toPool(c.req.raw);
    // Authenticates first, as on Node, so that others are refused at once.
    await authenticateRunner(deps, c.req.header('authorization'));
    return next();
  });
  app.post('/api/v1/runners/sync', (c) => toPool(c.req.raw));
  app.get('/api/v1/events', async (c) => {
    const answer = await eventsHub(env).fetch(streamRequest(c));
    return new Response(answer.body, answer);
  });
  // A runner's pool receives its live text, so subscribers are served there.
  app.get('/api/v1/attempts/:aid/live', async (c) => {
    const { attempt_id, runner_id } = await requireAttempt(deps.db, c.req.param('aid'));
    const pool = shardByName(env, shardNameOf(env, runner_id ?? attempt_id));
    const answer = await pool.fetch(streamRequest(c));
    return new Response(answer.body, answer);
  });
}

/** The request for a stream in the form for the object that serves it. */
function streamRequest(c: Context<HttpEnv>): Request {
  const request = new Request(c.req.raw);
  request.headers.set('X-Request-ID', c.get('requestId'));
  request.headers.set(CLIENT_HEADER, c.env.remoteAddress ?? '');
  return request;
}

/** No client is on this machine here, whatever address a local simulation shows. */
function remote(address: string | null): string | null {
  return address === null ? null : `client ${address}`;
}

function keptAlive<T>(ctx: ExecutionContext, work: Promise<T>): Promise<T> {
  ctx.waitUntil(
    work.then(
      () => undefined,
      () => undefined,
    ),
  );
  return work;
}
