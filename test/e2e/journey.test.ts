import { describe, expect, it } from 'vitest';
import { runJourney } from '../support/journey/run-journey.ts';

const LIMIT_MS = 300_000;

describe('from an issue in a tracker to a merged pull request', () => {
  it.each([
    { tracker: 'github', notice: 'webhooks' },
    { tracker: 'linear', notice: 'polling' },
  ] as const)(
    'in $tracker by $notice, with no credential left anywhere',
    { timeout: LIMIT_MS },
    async ({ tracker, notice }) => {
      const result = await runJourney({ tracker, notice, sandbox: 'process' });
      expect(result).toMatchObject({ attempts: 2, commits: 2, leaks: [], blindSearches: [] });
    },
  );
});
