import { describe, expect, it } from 'vitest';
import { createRedactor, hideEnvironment } from './create-redactor.ts';
import { hidingSecrets } from './hiding-secrets.ts';
import { hideResolved } from './hide-resolved.ts';

describe('the redactor', () => {
  it('hides a value wherever it stands once it knows it', () => {
    const redactor = createRedactor();
    expect(redactor.text('key is correct-horse')).toBe('key is correct-horse');
    redactor.hide('correct-horse');
    expect(redactor.text('correct-horse/correct-horse')).toBe('[redacted]/[redacted]');
  });

  it('leaves words alone that a short secret would break', () => {
    const redactor = createRedactor();
    for (const short of ['', 'a', 'abc', null, undefined]) redactor.hide(short);
    expect(redactor.text('an abc')).toBe('an abc');
  });

  it('learns from environment variables by their names', () => {
    const redactor = createRedactor();
    hideEnvironment(redactor, {
      SERVICE_WRITE_TOKEN: 'write-token-value',
      SERVICE_MASTER_KEY: 'master-key-value',
      SENTRY_DSN: 'https://0123456789abcdef@errors.example.test/1',
      SERVICE_CONFIG__engine__provider__apiKey: 'provider-key-value',
      SERVICE_PUBLIC_ORIGIN: 'https://switchyard.example.test',
    });
    expect(
      redactor.text('write-token-value master-key-value provider-key-value 0123456789abcdef'),
    ).toBe('[redacted] [redacted] [redacted] 0123456789abcdef');
    expect(redactor.text('to https://0123456789abcdef@errors.example.test/1')).toBe(
      'to [redacted]',
    );
    expect(redactor.text('https://switchyard.example.test')).toBe(
      'https://switchyard.example.test',
    );
  });

  it('learns the literals of a configuration, and what a reference stands for', async () => {
    const redactor = createRedactor();
    const config = {
      engine: { provider: { apiKey: 'literal-api-key', name: 'provider-name' } },
      webhook: { webhookSecret: '$SECRET:HOOK_SECRET' },
    };
    expect(await hidingSecrets({ load: async () => config }, redactor).load()).toBe(config);
    const resolve = hideResolved(async () => 'resolved-secret', redactor);
    await resolve('HOOK_SECRET');
    expect(redactor.text('literal-api-key resolved-secret provider-name')).toBe(
      '[redacted] [redacted] provider-name',
    );
    expect(redactor.text('$SECRET:HOOK_SECRET')).toBe('$SECRET:HOOK_SECRET');
  });

  it('forgets the oldest of very many', () => {
    const redactor = createRedactor();
    for (let index = 0; index <= 1_000; index += 1) redactor.hide(`secret-number-${index}-`);
    expect(redactor.text('secret-number-0-')).toBe('secret-number-0-');
    expect(redactor.text('secret-number-1000-')).toBe('[redacted]');
  });
});
