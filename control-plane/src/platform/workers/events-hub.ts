import { DurableObject } from 'cloudflare:workers';
import { OpenAPIHono } from '@hono/zod-openapi';
import { createEventSignal } from '../../events/create-event-signal.ts';
import { eventRoutes } from '../../events/routes.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { errorHandler, refuseInvalid } from '../../http/error-response.ts';
import { requestId } from '../../http/request-id.ts';
import { keepOnce } from './keep-once.ts';
import { remoteRunners } from './remote-runners.ts';
import { startWorkerCore, wakeCoordinator } from './start-worker-core.ts';
import type { WorkerEnv } from './worker-env.ts';

/**
 * Streams events to everybody who listens, in an object of its own: an open stream keeps its object
 * from sleeping. What is sent comes from rows, so that a listener who comes back misses nothing.
 */
export class EventsHub extends DurableObject<WorkerEnv> {
  readonly #signal = createEventSignal();
  readonly #app = keepOnce(() => this.#start());

  /** There may be new rows. */
  notify(): void {
    this.#signal.notify(0);
  }

  /** A request for the stream that the Worker has let through. */
  override async fetch(request: Request): Promise<Response> {
    const app = await this.#app();
    return app.fetch(request, { remoteAddress: null });
  }

  async #start() {
    const { deps } = await startWorkerCore(this.env, ({ background, env, service }) => ({
      ...remoteRunners(env, background),
      events: this.#signal,
      wake: wakeCoordinator(env, background, () => service.publicOrigin),
    }));
    const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
    app.use(requestId());
    app.onError(errorHandler(deps.logger, deps.errors));
    return app.openapiRoutes(eventRoutes(deps));
  }
}
