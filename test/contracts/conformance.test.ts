import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { operations } from './conformance/operations.ts';
import { type ConformanceReport, runConformance } from './conformance/run-conformance.ts';

const RUN_TIMEOUT_MS = 240_000;

// The very checks of `npm run conformance`, against a service that has done some work.
describe('the interface', () => {
  let bench: Bench;
  let report: ConformanceReport;
  beforeAll(async () => {
    bench = await startBench({ script: fixFailingTest() });
    const { identifier } = await bench.client.createIssue({ title: 'Durations come out wrong' });
    await bench.client.settled(identifier);
    report = await runConformance({ url: bench.client.url });
  }, RUN_TIMEOUT_MS);
  afterAll(() => bench?.close());

  const problemsOf = (name: string) =>
    report.routes
      .filter(({ route }) => route === name)
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
    const { templates } = await bench.client.must<{ templates: { name: string }[] }>(
      'GET',
      '/templates',
    );
    expect(templates.filter(({ name }) => name.startsWith('conformance'))).toEqual([]);
    expect(await bench.client.must('GET', '/secrets')).toMatchObject({ keys: [] });
    expect(JSON.stringify(await bench.client.must('GET', '/config/overlay'))).not.toContain(
      'CONFORMANCE',
    );
  });
});
