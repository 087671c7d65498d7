import { DurableObject } from 'cloudflare:workers';
import { OpenAPIHono } from '@hono/zod-openapi';
import { createEventSignal } from '../../../observe/events/create-event-signal.ts';
import { eventRoutes } from '../../../observe/events/routes.ts';
import { shareEventReads } from '../../../observe/events/share-event-reads.ts';
import { authorize } from '../../../http/access/authorize.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { describeFailure } from '../../../http/describe-failure.ts';
import { errorHandler, refuseInvalid } from '../../../http/error-handler.ts';
import { createOpenStreams } from '../../../http/limits/open-streams.ts';
import { requestId } from '../../../http/request-id.ts';
import { namedTokens } from '../../../admin/tokens/named-tokens.ts';
import { createObjectWriter } from '../database/create-object-writer.ts';
import { memoizeAsync } from '../memoize-async.ts';
import type { EventsHubCalls } from '../coordinator-calls.ts';
import { remoteRunners } from '../remote-runners.ts';
import { startWorkerCore, wakeCoordinator } from '../start-worker-core.ts';
import { workerAccess } from '../worker-access.ts';
import type { WorkerEnv } from '../worker-env.ts';

/** Whom the Worker takes the client for; it replaces what a client may have put there itself. */
export const CLIENT_HEADER = 'X-Switchyard-Client';

/**
 * Streams events to everybody who listens, in an object of its own: an open stream keeps its object
 * from sleeping. What is sent comes from rows, so that a listener who comes back misses nothing.
 */
export class EventsHub extends DurableObject<WorkerEnv> implements EventsHubCalls {
  readonly #signal = createEventSignal();
  readonly #app = memoizeAsync(() => this.#start());

  /** There may be new rows. */
  notify(): void {
    this.#signal.notify(0);
  }

  /** A request for the stream that the Worker has let through. */
  override async fetch(request: Request): Promise<Response> {
    const app = await this.#app();
    return app.fetch(request, { remoteAddress: request.headers.get(CLIENT_HEADER) });
  }

  async #start() {
    const { deps, variables } = await startWorkerCore(
      this.env,
      ({ background, env, service }) => ({
        ...remoteRunners(env, background),
        events: this.#signal,
        wake: wakeCoordinator(env, background, () => service.publicOrigin),
      }),
      createObjectWriter(this.env),
    );
    const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
    const { policy } = await workerAccess({ deps, variables });
    // The Worker has asked already; here it is asked again for as long as the stream is open.
    const tokens = namedTokens(policy.tokens, deps);
    app.use(requestId(), authorize({ ...policy, tokens }));
    app.onError(errorHandler(deps.logger, deps.errors));
    const complain = (error: unknown) =>
      deps.logger.error('an event stream failed', { error: describeFailure(error) });
    const streams = createOpenStreams({ limits: policy.limits, complain });
    const read = shareEventReads(deps.db, deps);
    return app.openapiRoutes(eventRoutes({ ...deps, read, streams }));
  }
}
