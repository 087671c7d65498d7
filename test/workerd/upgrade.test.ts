import { createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateEdge } from '../../control-plane/cli/deploy/deploy-edge.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { startSqld } from '../support/sqld/start-sqld.ts';
import { FIXTURE_MASTER_KEY, FIXTURE_TOKEN } from '../support/upgrades/fixture-facts.ts';
import { FIXTURES, fixtureText } from '../support/upgrades/open-fixture.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const TIMEOUT_MS = 120_000;

describe('a Worker on a database that an earlier version made', () => {
  let edge: Edge;
  const said: string[] = [];
  beforeAll(async () => {
    const sqld = await startSqld();
    const client = createClient({ url: sqld.url, authToken: sqld.token });
    await client.executeMultiple(`BEGIN;\n${fixtureText(FIXTURES[0] ?? '')}\nCOMMIT;`);
    client.close();
    const database = { SERVICE_DATABASE_URL: sqld.url, SERVICE_DATABASE_TOKEN: sqld.token };
    await migrateEdge(database, (line) => void said.push(line));
    edge = await startEdge({ sqld, settings: { SERVICE_MASTER_KEY: FIXTURE_MASTER_KEY } });
  }, TIMEOUT_MS);
  afterAll(() => edge?.close());

  it('serves what stood in it, and a deployment says so in one line', async () => {
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`(schema ${FIXTURES[0]}) to `);
    expect(said[0]).toContain(`(schema ${FIXTURES.at(-1)}): everything in it is kept`);
    const client = new ServiceClient(edge.url, () => edge.logs().join('\n'), FIXTURE_TOKEN);
    expect(await client.issue('SY-1')).toMatchObject({ title: 'Update', status: 'completed' });
    expect((await client.runners()).map(({ name }) => name)).toEqual(['bench']);
  });

  it('is of the version that was built', async () => {
    const client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
    const { version } = await client.must<{ version: string }>('GET', '/runtime');
    expect(version).toBe((await switchyard(['--version'], '.')).stdout.trim());
  });
});
