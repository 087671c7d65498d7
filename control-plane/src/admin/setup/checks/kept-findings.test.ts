import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConfigApp,
  createConfigApp,
  noRunners,
} from '../../../../../test/support/config-app.ts';
import type { Deps } from '../../../deps.ts';
import { checkSetup } from '../check-setup.ts';
import { readOutcomes } from './check-outcomes.ts';
import { checkRunner } from './check-runner.ts';

describe('what a check of the setup keeps', () => {
  let fixture: ConfigApp;
  beforeEach(async () => {
    fixture = await createConfigApp();
  });
  afterEach(() => fixture.close());

  it('is nothing where no runner is there that could look', async () => {
    const { config, db, resolveSecret, ports } = fixture;
    const deps = { ...ports, ...noRunners, config, db, resolveSecret };
    const service = { role: 'active' } as Deps['service'];
    const checked = await checkSetup(
      { ...deps, service, checkStep: () => checkRunner(deps) },
      'runner',
    );
    expect(checked).toMatchObject({ ok: false });
    expect(await readOutcomes(db)).toEqual({});
  });
});
