import { describe } from 'vitest';
import { createAcpEngine } from '../../../runner/src/engine/acp/acp-engine.ts';
import { qwenProfile } from '../../../runner/src/engine/acp/profiles/qwen/qwen-profile.ts';
import { enginePartOf } from '../../support/engines/engine-part-of.ts';
import { describeEngine } from './describe-engine.ts';

describe.runIf(enginePartOf('qwen').available)('where it is installed', () => {
  describeEngine('qwen', {
    engine: createAcpEngine(qwenProfile),
    wireApis: ['chat'],
    patienceMs: 60_000,
    refusals: { unauthorized: 'auth_failed', rateLimit: 'waits', serverError: 'waits' },
    exitCodes: true,
  });
});
