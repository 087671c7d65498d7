import { describe } from 'vitest';
import { createAcpEngine } from '../../../runner/src/engine/acp/acp-engine.ts';
import { opencodeProfile } from '../../../runner/src/engine/acp/profiles/opencode/opencode-profile.ts';
import { enginePartOf } from '../../support/engines/engine-part-of.ts';
import { describeEngine } from './describe-engine.ts';

describe.runIf(enginePartOf('opencode').available)('where it is installed', () => {
  describeEngine('opencode', {
    engine: createAcpEngine(opencodeProfile),
    wireApis: ['responses', 'chat', 'messages', 'gemini'],
    patienceMs: 60_000,
    refusals: { unauthorized: 'auth_failed', rateLimit: 'waits', serverError: 'waits' },
    exitCodes: true,
  });
});
