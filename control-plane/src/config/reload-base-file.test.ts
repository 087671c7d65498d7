import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigApp } from '../../../test/support/config-app.ts';
import type { ConfigApp } from '../../../test/support/config-app.ts';
import { eventChunks } from '../db/schema/operation/events.ts';
import type { BaseFile } from './base-file.ts';
import { reloadBaseFile } from './reload-base-file.ts';

describe('reloadBaseFile', () => {
  let fixture: ConfigApp;
  let leads = true;
  let wakes = 0;
  beforeEach(async () => {
    leads = true;
    wakes = 0;
    fixture = await createConfigApp({ baseFile: file('agent: { maxTurns: 3 }') });
  });
  afterEach(() => fixture.close());

  function file(text: string | null): BaseFile {
    return { name: 'switchyard.yaml', format: 'yaml', text };
  }
  function reload(text: string | null): Promise<void> {
    const { ports, db, config } = fixture;
    const isLeader = () => leads;
    return reloadBaseFile(
      { ...ports, db, config, isLeader, wake: () => void (wakes += 1) },
      file(text),
    );
  }
  async function told(): Promise<unknown[]> {
    const chunks = await fixture.db.select().from(eventChunks);
    return chunks.flatMap((chunk) => chunk.items.map((item) => item.data));
  }

  it('uses a changed file from then on, and tells which keys changed', async () => {
    await reload('agent: { maxTurns: 4, retryBaseMs: 5 }\nhooks: { beforeRun: x }');
    const paths = ['agent.maxTurns', 'agent.retryBaseMs', 'hooks.beforeRun'];
    expect((await fixture.config.load()).agent).toMatchObject({ maxTurns: 4, retryBaseMs: 5 });
    expect(await told()).toEqual([{ source: 'base', paths, problems: [] }]);
    const { body } = await fixture.call('GET', '/api/v1/audit');
    expect(body['entries']).toMatchObject([{ operation: 'config.reload', actor: 'service' }]);
    expect(wakes).toBe(1);
  });

  it.each([
    ['bad YAML', 'agent: [', 'workflow_parse_error'],
    ['a bad value', 'agent: { maxTurns: 0 }', 'invalid_value'],
    ['a file that is gone', null, 'missing_workflow_file'],
    [
      'a dialect that no engine speaks',
      'engine: { provider: { wire_api: chat } }',
      'invalid_value',
    ],
  ])('keeps the last good configuration for %s, and says so once', async (_what, text, code) => {
    await reload(text);
    await reload(text);
    expect((await fixture.config.load()).agent.maxTurns).toBe(3);
    expect(fixture.config.problems()).toMatchObject([{ code, blocksDispatch: true }]);
    expect(await told()).toEqual([{ source: 'base', paths: [], problems: [code] }]);
    await reload('agent: { maxTurns: 3 }');
    expect(fixture.config.problems()).toEqual([]);
    expect(await told()).toHaveLength(2);
  });

  it('tells nothing when nothing changed, or on a standby', async () => {
    await reload('# the same\nagent: { maxTurns: 3 }');
    expect(wakes).toBe(0);
    leads = false;
    await reload('agent: { maxTurns: 5 }');
    expect((await fixture.config.load()).agent.maxTurns).toBe(5);
    expect(await told()).toEqual([]);
  });
});
