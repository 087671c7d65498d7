import type { Introduction } from '../session-deps.ts';

/** How the runner of a test says who it is. */
export const INTRODUCTION: Introduction = {
  protocol: { min: 1, max: 1 },
  runnerId: 'run_1',
  bootId: 'boot',
  instanceId: 'instance',
  version: '0.0.0',
  features: [],
  labels: [],
  isolation: 'process',
  warnings: [],
};
