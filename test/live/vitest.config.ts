import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { liveCredentials } from './live-credentials.ts';

const { linear, github } = liveCredentials(process.env);

// Apart from the usual projects: these talk to real services and need credentials.
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: [
      ...(linear === null ? [] : ['test/live/live-linear-tracker.ts']),
      ...(github === null ? [] : ['test/live/live-github-*.ts']),
    ],
    // One after another: the suites share a team and repositories.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
