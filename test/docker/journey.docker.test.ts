import { expect, it } from 'vitest';
import { runJourney } from '../support/journey/run-journey.ts';

const LIMIT_MS = 300_000;

it(
  'an issue of Linear is merged by webhooks, and no container ever holds a credential',
  async () => {
    const options = { tracker: 'linear', notice: 'webhooks', sandbox: 'docker' } as const;
    const result = await runJourney(options);
    expect(result).toMatchObject({ attempts: 2, commits: 2, leaks: [], blindSearches: [] });
    expect(result.containers).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
