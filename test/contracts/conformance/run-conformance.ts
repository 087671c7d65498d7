import { randomBytes } from 'node:crypto';
import { type Check, checkOperation } from './check-operation.ts';
import { checkService } from './check-service.ts';
import { ConformanceClient } from './conformance-client.ts';
import { makeFixture, removeFixture } from './fixture.ts';
import { operations } from './operations.ts';
import { ServedDocument } from './served-document.ts';

export type RouteReport = { route: string; checks: Check[]; skipped: string | null };
export type ConformanceReport = {
  url: string;
  routes: RouteReport[];
  passed: number;
  failed: number;
  requests: number;
};

/**
 * Holds a running service against the interface, route by route. It works with things of its own
 * and takes them away again. Throws when the service cannot be reached or refuses the preparation.
 */
export async function runConformance(options: {
  url: string;
  token?: string | undefined;
  onRoute?: (report: RouteReport) => void;
  onWait?: (seconds: number) => void;
}): Promise<ConformanceReport> {
  const { onRoute = () => {}, onWait = () => {} } = options;
  const client = new ConformanceClient(options.url, options.token, onWait);
  const served = await client.send({ method: 'GET', path: '/api/v1/openapi.json' });
  if (served.status !== 200) throw new Error(`no OpenAPI document: ${served.status}`);
  const document = new ServedDocument(served.body);
  const fixture = await makeFixture(client, `conformance ${randomBytes(4).toString('hex')}`);
  const routes: RouteReport[] = [];
  const report = (route: RouteReport) => {
    routes.push(route);
    onRoute(route);
  };
  try {
    const ordered = [
      ...operations.filter(({ last }) => last !== true),
      ...operations.filter(({ last }) => last === true),
    ];
    for (const operation of ordered) {
      const found = await checkOperation(operation, fixture, document);
      report({ route: `${operation.method} ${operation.path}`, ...found });
    }
    for (const [route, checks] of await checkService(fixture)) {
      report({ route, checks, skipped: null });
    }
  } finally {
    await removeFixture(fixture);
  }
  const all = routes.flatMap(({ checks }) => checks);
  const failed = all.filter(({ problem }) => problem !== null).length;
  const { requests } = client;
  return { url: client.url, routes, passed: all.length - failed, failed, requests };
}
