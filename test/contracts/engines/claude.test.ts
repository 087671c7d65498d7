import { describe } from 'vitest';
import { createAcpEngine } from '../../../runner/src/engine/acp/acp-engine.ts';
import { claudeProfile } from '../../../runner/src/engine/acp/profiles/claude/claude-profile.ts';
import { enginePartOf } from '../../support/engines/engine-part-of.ts';
import { describeEngine } from './describe-engine.ts';

describe.runIf(enginePartOf('claude').available)('where it is installed', () => {
  describeEngine('claude', {
    engine: createAcpEngine(claudeProfile),
    wireApis: ['messages'],
    patienceMs: 60_000,
    refusals: {
      unauthorized: 'auth_failed',
      rateLimit: 'usage_limited',
      serverError: 'provider_unreachable',
    },
    exitCodes: false,
  });
});
