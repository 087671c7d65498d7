import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConfigApp,
  createConfigApp,
  noRunners,
} from '../../../../../test/support/config-app.ts';
import { createCheckSetup, type CheckDeps } from '../check-setup.ts';
import { readOutcomes } from './check-outcomes.ts';

describe('what a check of the setup keeps', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    fixture = await createConfigApp();
  });
  afterEach(() => fixture.close());

  it('is nothing where no runner is there that could look', async () => {
    const { config, db, masterKeys, resolveSecret, ports } = fixture;
    const deps = { ...ports, ...noRunners, config, db, masterKeys, resolveSecret };
    const check = createCheckSetup({
      ...deps,
      service: { role: 'active' } as CheckDeps['service'],
      settings: { prefix: () => 'SY' },
      trackers: new Map(),
      codeHosts: [],
    });
    expect(await check('runner')).toMatchObject({ ok: false });
    expect(await readOutcomes(db)).toEqual({});
  });
});
