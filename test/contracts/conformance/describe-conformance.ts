import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../support/e2e/service-client.ts';
import { operations } from './operations.ts';
import { type ConformanceReport, runConformance } from './run-conformance.ts';

const RUN_TIMEOUT_MS = 480_000;

type Served = { client: ServiceClient; token?: string; close(): Promise<void> };

/**
 * The very checks of `npm run conformance`, against a service of any platform that has a runner and
 * has done some work, so that no good case is left out.
 */
export function describeConformance(name: string, start: () => Promise<Served>): void {
  describe(`the interface on ${name}`, () => {
    let served: Served;
    let report: ConformanceReport;
    beforeAll(async () => {
      served = await start();
      const { client, token } = served;
      const { identifier } = await client.createIssue({ title: 'Durations come out wrong' });
      await client.settled(identifier, RUN_TIMEOUT_MS / 2);
      report = await runConformance({ url: client.url, token });
    }, RUN_TIMEOUT_MS);
    afterAll(() => served?.close());

    const problemsOf = (route: string) =>
      report.routes
        .filter((found) => found.route === route)
        .flatMap(({ checks }) => checks)
        .filter(({ problem }) => problem !== null);

    it.each(operations.map(({ method, path }) => `${method} ${path}`))('%s', (route) => {
      expect(report.routes.map((found) => found.route)).toContain(route);
      expect(problemsOf(route)).toEqual([]);
    });

    it('as a whole', () => {
      const listed = new Set(operations.map(({ method, path }) => `${method} ${path}`));
      const others = report.routes.filter(({ route }) => !listed.has(route));
      expect(others.length).toBeGreaterThan(0);
      expect(others.flatMap(({ checks }) => checks).filter(({ problem }) => problem)).toEqual([]);
      expect(report).toMatchObject({ failed: 0, passed: expect.any(Number) });
    });

    it('left nothing behind', async () => {
      const { client } = served;
      const { templates } = await client.must<{ templates: { name: string }[] }>(
        'GET',
        '/templates',
      );
      expect(templates.filter((one) => one.name.startsWith('conformance'))).toEqual([]);
      expect(await client.must('GET', '/secrets')).toMatchObject({ keys: [] });
      expect(JSON.stringify(await client.must('GET', '/config/overlay'))).not.toContain(
        'CONFORMANCE',
      );
    });
  });
}
