import { DurableObject } from 'cloudflare:workers';
import { createEventSignal } from '../../../observe/events/create-event-signal.ts';
import { eventRoutes } from '../../../observe/events/routes.ts';
import { shareEventReads } from '../../../observe/events/share-event-reads.ts';
import { CLIENT_HEADER } from './client-header.ts';
import { createObjectWriter } from '../database/create-object-writer.ts';
import { memoizeAsync } from '../memoize-async.ts';
import type { EventsHubCalls } from '../coordinator-calls.ts';
import { remoteRunners } from '../remote-runners.ts';
import { startWorkerCore } from '../start-worker-core.ts';
import type { WorkerEnv } from '../worker-env.ts';
import { createStreamApp } from './create-stream-app.ts';

/**
 * Streams events to all clients, in a separate object because an open stream keeps its object
 * awake. Everything sent comes from rows, so that a client that reconnects misses nothing.
 */
export class EventsHub extends DurableObject<WorkerEnv> implements EventsHubCalls {
  readonly #signal = createEventSignal();
  readonly #app = memoizeAsync(() => this.#start());

  /** Signals that there may be new rows. */
  notify(): void {
    this.#signal.notify();
  }

  /** Serves a stream request that the Worker has authorized. */
  override async fetch(request: Request): Promise<Response> {
    const app = await this.#app();
    return app.fetch(request, { remoteAddress: request.headers.get(CLIENT_HEADER) });
  }

  async #start() {
    const { deps, variables } = await startWorkerCore(
      this.env,
      ({ background }) => ({
        connections: remoteRunners(this.env, background),
        events: this.#signal,
      }),
      createObjectWriter(this.env),
    );
    const { app, streams } = await createStreamApp({ deps, variables });
    const shared = shareEventReads(deps.db, deps);
    // Secrets are stored by other objects, and a stream may stay open for long, so they are loaded
    // before each read.
    const read: typeof shared = async (...from) => {
      await deps.config.load();
      return shared(...from);
    };
    return app.openapiRoutes(eventRoutes({ ...deps, read, streams }));
  }
}
