import { inertText } from '@switchyard/shared/text/inert-text';
import { describe, expect, it } from 'vitest';
import { createRedactor, hideEnvironment } from './create-redactor.ts';
import {
  redactConfigSecrets,
  hideResolved,
} from '../../admin/observability/redact-config-secrets.ts';

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
    expect(await redactConfigSecrets({ load: async () => config }, redactor).load()).toBe(config);
    const resolve = hideResolved(async () => 'resolved-secret', redactor);
    await resolve('HOOK_SECRET');
    expect(redactor.text('literal-api-key resolved-secret provider-name')).toBe(
      '[redacted] [redacted] provider-name',
    );
    expect(redactor.text('$SECRET:HOOK_SECRET')).toBe('$SECRET:HOOK_SECRET');
  });

  it('knows a value in every form in which it may be repeated', () => {
    const redactor = createRedactor();
    const value = 'sk/known+to "nobody"\\else';
    redactor.hide(value);
    const json = JSON.stringify({ value });
    const forms = [
      value,
      json,
      JSON.stringify({ json }),
      encodeURIComponent(value),
      ...['', 'u', 'us', 'x-access-token:'].map((before) => btoa(`${before}${value} and more`)),
    ];
    for (const form of forms) {
      const shown = redactor.known(`it said ${form} then`);
      expect(shown).toMatch(/^it said .{0,24}\[redacted\].{0,20} then$/);
      expect(shown).not.toMatch(/known|bm93/);
    }
  });

  it('knows a value without what is stored around it, and as it is made inert for others', () => {
    const redactor = createRedactor();
    for (const value of ['Bearer lin_oauth_0123456789', ' sk-with-blanks-around ', 'P!@ssw0rd-x'])
      redactor.hide(value);
    const said = `no lin_oauth_0123456789, no sk-with-blanks-around, no ${inertText('P!@ssw0rd-x')}`;
    expect(redactor.known(said)).toBe('no [redacted], no [redacted], no [redacted]');
    expect(redactor.known('Bearer of-bad-news')).toBe('Bearer of-bad-news');
  });

  it('knows what is secret in a sign-in that is stored as JSON, and nothing else of it', () => {
    const redactor = createRedactor();
    const stored = {
      clientId: 'client-of-ours',
      clientSecret: 'secret-of-ours',
      state: 'the-state',
    };
    redactor.hide(JSON.stringify({ ...stored, refreshToken: 'refresh-of-ours', expiresAtMs: 1 }));
    expect(redactor.known('client-of-ours the-state secret-of-ours refresh-of-ours')).toBe(
      'client-of-ours the-state [redacted] [redacted]',
    );
  });

  it('knows each line of a value with line breaks, but not what frames every key', () => {
    const redactor = createRedactor();
    redactor.hide('first-half-of-it\n  second-half-of-it\nend\n');
    redactor.hide('-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n');
    for (const text of ['first-half-of-it', 'second-half-of-it', 'MIIEvQIBADANBgkq'])
      expect(redactor.known(`a ${text} b`)).toBe('a [redacted] b');
    for (const text of ['the end', '-----BEGIN PRIVATE KEY-----'])
      expect(redactor.known(text)).toBe(text);
  });

  it('hides all of two values that overlap, and the longer of two that begin alike', () => {
    const redactor = createRedactor();
    for (const value of ['overlapping', 'lapping-values', 'overlapping-long']) redactor.hide(value);
    expect(redactor.known('an overlapping-values x')).toBe('an [redacted] x');
    expect(redactor.known('an overlapping-longer x')).toBe('an [redacted]er x');
  });

  it('leaves JSON what it is, whatever a value looks like', () => {
    const redactor = createRedactor();
    for (const value of ['12345678', '","bb":"', 'true,"c"']) redactor.hide(value);
    const json = JSON.stringify({ a: 'of 12345678', b: 12_345_678, d: true, c: ['","bb":"'] });
    expect(JSON.parse(redactor.json(json))).toEqual({
      a: 'of [redacted]',
      b: 12_345_678,
      d: true,
      c: ['[redacted]'],
    });
    expect(redactor.json('{"a":1}')).toBe('{"a":1}');
  });

  it('takes only what it knows out of answers, where people write as they like', () => {
    const redactor = createRedactor();
    const text = 'see https://example.test/?state=open&code=12345 with Bearer of-bad-news';
    expect(redactor.known(text)).toBe(text);
    expect(redactor.text(text)).not.toBe(text);
  });

  it('never takes a reference or our own address for a secret', async () => {
    const redactor = createRedactor();
    const webhookUrl = 'https://switchyard.example.test/hooks';
    hideEnvironment(redactor, {
      SERVICE_CONFIG__engine__provider__apiKey: '$SECRET:MODEL_KEY',
      SERVICE_CONFIG__webhook__webhookUrl: webhookUrl,
    });
    const config = { webhook: { webhookUrl } };
    await redactConfigSecrets({ load: async () => config }, redactor).load();
    const text = '$SECRET:MODEL_KEY at https://switchyard.example.test/hooks';
    expect(redactor.known(text)).toBe(text);
  });

  it('leaves a word that another program has for a password what it is, outside the log', () => {
    const redactor = createRedactor();
    hideEnvironment(redactor, { PGPASSWORD: 'switchyard', SERVICE_WRITE_TOKEN: 'ownwordtoken' });
    const text = 'switchyard/sy-1 by ownwordtoken';
    expect(redactor.known(text)).toBe('switchyard/sy-1 by [redacted]');
    expect(redactor.text(text)).toBe('[redacted]/sy-1 by [redacted]');
  });

  it('hides what is left of a value at the end of a text that was cut', () => {
    const redactor = createRedactor();
    redactor.hide('switchyard-token-number-1');
    const cut = 'it is switchyard-token-number-1'.slice(0, -4);
    expect(redactor.known(cut)).toBe('it is [redacted]');
    expect(redactor.known('it is switchyard-to…')).toBe('it is [redacted]…');
    expect(JSON.parse(redactor.json(JSON.stringify({ cut })))).toEqual({ cut: 'it is [redacted]' });
    for (const word of ['switchyard', 'a switchyard-token', 'switchyard…', `${cut} of it`])
      expect(redactor.known(word)).toBe(word);
  });

  it('forgets the oldest of very many', () => {
    const redactor = createRedactor();
    for (let index = 0; index <= 2_000; index += 1) redactor.hide(`secret-number-${index}-`);
    expect(redactor.text('secret-number-0-')).toBe('secret-number-0-');
    expect(redactor.text('secret-number-2000-')).toBe('[redacted]');
  });
});
