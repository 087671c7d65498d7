import { expect, it } from 'vitest';
import { usesOfSecrets } from './uses-of-secrets.ts';

it('finds where secrets are used, also in lists', () => {
  const config = {
    engine: { provider: { apiKey: '$SECRET:MODEL_KEY' }, model: 'm' },
    notifications: { channels: [{ webhookUrl: '$SECRET:CHAT' }, { secret: '$SECRET:MODEL_KEY' }] },
    nothing: null,
  };
  expect([...usesOfSecrets(config)]).toEqual([
    ['MODEL_KEY', ['engine.provider.apiKey', 'notifications.channels.1.secret']],
    ['CHAT', ['notifications.channels.0.webhookUrl']],
  ]);
});
