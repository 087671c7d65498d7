import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Plane, startPlane } from '../../../test/support/fronts/start-plane.ts';
import { ServiceClient } from '../client/service-client.ts';
import { checkService } from './check-service.ts';
import { checkSetup } from './check-setup.ts';

describe('what doctor says of a service', () => {
  let plane: Plane;
  let client: ServiceClient;
  beforeAll(async () => {
    plane = await startPlane({});
    client = new ServiceClient({ url: plane.url, dataDir: plane.dataDir }, {});
  });
  afterAll(() => plane.close());

  it('is that it is another one where its own data folder is not served', async () => {
    const stranger = Object.assign(new ServiceClient({ url: plane.url }, {}), { isOf: 'nobody' });
    expect(await checkService(stranger, {})).toMatchObject([
      { name: 'service', status: 'warn', detail: expect.stringContaining('has another one') },
    ]);
    expect((await checkService(client, {}))[0]).toMatchObject({ name: 'service', status: 'ok' });
  });

  it('is what the setup still needs, with what to do', async () => {
    const found = await checkSetup(client);
    const place = `see to it at ${plane.url}/setup`;
    expect(found).toMatchObject([
      { name: 'repository', status: 'warn', detail: 'No repository yet', fix: place },
      { name: 'model', status: 'warn', detail: 'openai: no key is set', fix: place },
      { name: 'runner', status: 'warn', detail: 'No runner yet', fix: place },
      { name: 'first issue', status: 'warn', fix: expect.stringContaining('issue create TITLE') },
    ]);
    await client.ask('PATCH', '/config/overlay/engine.trial', { body: { value: true } });
    const onTrial = (await checkSetup(client)).map(({ name }) => name);
    expect(onTrial).not.toContain('model');
  });
});
