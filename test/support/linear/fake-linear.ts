import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute } from 'graphql';
import { Allowance } from './allowance.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { FakeOauth } from './fake-oauth.ts';
import { linearResolvers } from './linear-resolvers.ts';
import { linearSchema } from './linear-schema.ts';
import { readQuery } from './read-query.ts';
import { LinearWorkspace } from './linear-workspace.ts';
import { queryComplexity } from './query-complexity.ts';
import type { FakeEvent } from './linear-rows.ts';

/** One request as it came in. */
export type LinearRequest = {
  operation: string;
  variables: Record<string, unknown>;
  authorization: string;
  status: number;
  /** What the query costs by Linear's rule. */
  points: number;
};

/** What becomes of a request; each stands for one, in the order given. */
export type LinearFault =
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** Closes the connection without an answer. */
  | { kind: 'cut' }
  /** The same, but only after it was done. */
  | { kind: 'lost' }
  | { kind: 'latency'; ms: number }
  /** Answers with other data than there is. */
  | { kind: 'data'; change: (data: never) => void };

export type FakeLinear = {
  /** Address of the GraphQL endpoint. */
  endpoint: string;
  apiKey: string;
  world: LinearWorkspace;
  requests: LinearRequest[];
  /** What is left of the hour's points and requests. */
  allowance: Allowance;
  /** Faults for the next requests, only those of an operation where it is named. */
  fail(fault: LinearFault, operation?: string): void;
  /** Changes the data of every answer before it is sent: records that nobody described. */
  spoil: (data: never, operation: string) => void;
  /** Everything that happened, oldest first; delivered to the workspace's webhooks. */
  events: FakeEvent[];
  /** Statuses of deliveries. */
  delivered: number[];
  /** Resolves when every delivery so far was answered. */
  deliveriesAnswered(): Promise<void>;
  /** Leaves deliveries out, or sends them again. */
  pauseDeliveries(isPaused: boolean): void;
  oauth: FakeOauth;
  close(): Promise<void>;
};

/** Linear on loopback: real HTTP, its own schema, signed deliveries, and trouble on demand. */
export async function startFakeLinear(): Promise<FakeLinear> {
  const world = new LinearWorkspace();
  const apiKey = `lin_api_${randomUUID()}`;
  const faults: { fault: LinearFault; operation: string | undefined }[] = [];
  const requests: LinearRequest[] = [];
  const events: FakeEvent[] = [];
  const delivered: number[] = [];
  const oauth = new FakeOauth();
  const allowance = new Allowance(() => world.time());
  let isPaused = false;
  let sending: Promise<void> = Promise.resolve();
  world.tell = (event) => {
    events.push(event);
    if (isPaused) return;
    const copy = structuredClone(event);
    sending = sending.then(async () => {
      for (const webhook of world.webhooks.filter(({ enabled }) => enabled)) {
        delivered.push(await deliverWebhook(world, webhook, copy));
      }
    });
  };
  const server = createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/oauth/token') {
      const { status, body } = oauth.token(new URLSearchParams(await textOf(request)));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
      return;
    }
    const { query, variables, operationName } = JSON.parse(await textOf(request)) as {
      query: string;
      variables: Record<string, unknown>;
      operationName: string;
    };
    const authorization = request.headers.authorization ?? '';
    const asked = readQuery(query);
    const points =
      'errors' in asked ? 0 : queryComplexity(linearSchema(), asked.document, variables);
    const entry = { operation: operationName, variables, authorization, status: 0, points };
    requests.push(entry);
    const answer = (status: number, body: string, headers: Record<string, string> = {}) => {
      entry.status = status;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...allowance.headers(points),
        ...headers,
      });
      response.end(body);
    };
    const fault = takeFault(operationName);
    if (fault?.kind === 'cut') return void request.socket.destroy();
    if (fault?.kind === 'latency') await new Promise((done) => setTimeout(done, fault.ms));
    if (fault?.kind === 'status') return answer(fault.status, fault.body ?? '', fault.headers);
    if (authorization !== apiKey && !oauth.accepts(authorization))
      return answer(401, refusal('AUTHENTICATION_ERROR'));
    const taken = allowance.take(operationName, points);
    if (taken === 'exhausted') return answer(400, refusal('RATELIMITED', 'Rate limit exceeded'));
    if (taken === 'too complex') return answer(400, refusal('INPUT_ERROR', 'Query too complex'));
    const rootValue = linearResolvers(world, world.me);
    const result =
      'errors' in asked
        ? asked
        : await execute({
            schema: linearSchema(),
            document: asked.document,
            rootValue,
            variableValues: variables,
            operationName,
          });
    if (fault?.kind === 'lost') return void request.socket.destroy();
    const text = JSON.stringify(result);
    if (result.errors !== undefined) return answer(200, text);
    const changed = JSON.parse(text) as { data: never };
    if (fault?.kind === 'data') fault.change(changed.data);
    linear.spoil(changed.data, operationName);
    answer(200, JSON.stringify(changed));
  }

  function takeFault(operation: string): LinearFault | undefined {
    const at = faults.findIndex((one) => (one.operation ?? operation) === operation);
    return at === -1 ? undefined : faults.splice(at, 1)[0]?.fault;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const linear: FakeLinear = {
    endpoint: `http://127.0.0.1:${port}/graphql`,
    apiKey,
    world,
    requests,
    allowance,
    fail: (fault, operation) => void faults.push({ fault, operation }),
    spoil: () => {},
    events,
    delivered,
    oauth,
    deliveriesAnswered: () => sending,
    pauseDeliveries: (paused) => {
      isPaused = paused;
    },
    async close() {
      world.tell = () => {};
      world.webhooks.length = 0;
      await sending;
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return linear;
}

/** The body with which Linear refuses. */
export function refusal(code: string, message = code): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, type: code } }] });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
