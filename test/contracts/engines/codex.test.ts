import { quickEngine } from '../../../runner/src/engine/codex/testing/quick-engine.ts';
import { describeEngine } from './describe-engine.ts';

describeEngine('codex', {
  engine: quickEngine,
  wireApis: ['responses'],
  patienceMs: 15_000,
  refusals: {
    unauthorized: 'auth_failed',
    rateLimit: 'usage_limited',
    serverError: 'provider_unreachable',
  },
  exitCodes: true,
});
