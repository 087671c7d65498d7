import { describe, expect, it } from 'vitest';
import { readRefusal } from './read-refusal.ts';

const NOW_MS = Date.parse('2026-11-23T06:00:00.000Z');
const SECRET = 'sk-live-abcdef123456';

function read(status: number | null, json: unknown, headers: Record<string, string> = {}) {
  return readRefusal({ status, headers, json }, { nowMs: NOW_MS, secret: SECRET });
}
const openai = (code: string | null, type: string | null, message = 'words') => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message = 'words') => ({
  type: 'error',
  error: { type, message },
  request_id: 'r',
});
const gemini = (code: number, status: string, message = 'words', details: unknown[] = []) => ({
  error: { code, status, message, details },
});
const retryInfo = (retryDelay: string) => ({
  '@type': 'type.googleapis.com/google.rpc.RetryInfo',
  retryDelay,
});
const quotaFailure = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
};
const errorInfo = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
});

describe('a refusal is told apart by its published shape', () => {
  it.each([
    // Responses and Chat Completions.
    [401, openai('invalid_api_key', 'invalid_request_error'), 'auth_failed', 'invalid_api_key'],
    [
      403,
      openai('unsupported_country_region_territory', null),
      'auth_failed',
      'unsupported_country_region_territory',
    ],
    [429, openai('rate_limit_exceeded', 'tokens'), 'usage_limited', 'rate_limit_exceeded'],
    [
      429,
      openai('insufficient_quota', 'insufficient_quota'),
      'usage_limited',
      'insufficient_quota',
    ],
    [429, openai(null, 'usage_limit_reached'), 'usage_limited', 'usage_limit_reached'],
    [403, openai('insufficient_quota', null), 'usage_limited', 'insufficient_quota'],
    [402, openai(null, null), 'usage_limited', null],
    [
      400,
      openai('context_length_exceeded', 'invalid_request_error'),
      'context_exceeded',
      'context_length_exceeded',
    ],
    [404, openai('model_not_found', 'invalid_request_error'), 'agent_error', 'model_not_found'],
    [400, openai(null, 'invalid_request_error'), 'agent_error', 'invalid_request_error'],
    [500, openai(null, 'server_error'), 'provider_unreachable', 'server_error'],
    [503, openai('server_is_overloaded', null), 'provider_unreachable', 'server_is_overloaded'],
    [null, openai('rate_limit_exceeded', null), 'usage_limited', 'rate_limit_exceeded'],
    [null, openai('invalid_prompt', null), 'agent_error', 'invalid_prompt'],
    [null, openai(null, null), 'provider_unreachable', null],
    // Messages.
    [401, anthropic('authentication_error'), 'auth_failed', 'authentication_error'],
    [403, anthropic('permission_error'), 'auth_failed', 'permission_error'],
    [402, anthropic('billing_error'), 'usage_limited', 'billing_error'],
    [429, anthropic('rate_limit_error'), 'usage_limited', 'rate_limit_error'],
    [413, anthropic('request_too_large'), 'context_exceeded', 'request_too_large'],
    [529, anthropic('overloaded_error'), 'provider_unreachable', 'overloaded_error'],
    [504, anthropic('timeout_error'), 'provider_unreachable', 'timeout_error'],
    [400, anthropic('invalid_request_error'), 'agent_error', 'invalid_request_error'],
    [404, anthropic('not_found_error'), 'agent_error', 'not_found_error'],
    [null, anthropic('overloaded_error'), 'provider_unreachable', 'overloaded_error'],
    // Gemini.
    [
      429,
      gemini(429, 'RESOURCE_EXHAUSTED', 'x', [quotaFailure]),
      'usage_limited',
      'RESOURCE_EXHAUSTED',
    ],
    [
      400,
      gemini(400, 'INVALID_ARGUMENT', 'x', [errorInfo('API_KEY_INVALID')]),
      'auth_failed',
      'API_KEY_INVALID',
    ],
    [403, gemini(403, 'PERMISSION_DENIED'), 'auth_failed', 'PERMISSION_DENIED'],
    [503, [gemini(503, 'UNAVAILABLE')], 'provider_unreachable', 'UNAVAILABLE'],
    [500, gemini(500, 'INTERNAL'), 'provider_unreachable', 'INTERNAL'],
    [400, gemini(400, 'INVALID_ARGUMENT'), 'agent_error', 'INVALID_ARGUMENT'],
    // Other shapes.
    [null, { error: { code: 429, message: 'upstream' } }, 'usage_limited', null],
    [null, { error: { code: 502, message: 'upstream' } }, 'provider_unreachable', null],
    [400, { detail: 'Context window exceeds limit' }, 'context_exceeded', null],
    [401, { error: 'Unauthorized' }, 'auth_failed', null],
    [408, null, 'provider_unreachable', null],
    [413, null, 'context_exceeded', null],
    [418, null, 'agent_error', null],
  ] as const)('%s %j', (status, json, kind, code) => {
    expect(read(status, json)).toMatchObject({ kind, code, atMs: NOW_MS });
  });

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Please reduce the length of the messages or completion.',
    'the request exceeds the available context size. try increasing the context size',
    'Your request exceeded model token limit: 262144',
    'Input is too long for requested model.',
  ])('a full context by its words: %s', (message) => {
    expect(read(400, openai(null, 'invalid_request_error', message)).kind).toBe('context_exceeded');
    expect(read(null, anthropic('invalid_request_error', message)).kind).toBe('context_exceeded');
  });

  it('an account without credit by its words', () => {
    const message =
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.';
    expect(read(400, anthropic('invalid_request_error', message)).kind).toBe('usage_limited');
  });
});

describe('when a provider can be asked again', () => {
  const limited = openai('rate_limit_exceeded', 'tokens');
  const inMs = (ms: number): number => NOW_MS + ms;
  it.each([
    ['seconds', limited, { 'retry-after': '20' }, inMs(20_000)],
    ['a date', limited, { 'retry-after': 'Mon, 23 Nov 2026 07:00:00 GMT' }, inMs(3_600_000)],
    ['a date in the past', limited, { 'retry-after': 'Mon, 23 Nov 2026 05:00:00 GMT' }, NOW_MS],
    ['milliseconds', limited, { 'retry-after-ms': '1500', 'retry-after': '2' }, inMs(1_500)],
    ['nonsense', limited, { 'retry-after': 'soon' }, null],
    ['a year and more', limited, { 'retry-after': '99999999' }, null],
    [
      'the error, in seconds of the day',
      { error: { type: 'usage_limit_reached', resets_at: NOW_MS / 1_000 + 60 } },
      {},
      inMs(60_000),
    ],
    [
      'the error, from now',
      { error: { type: 'usage_limit_reached', resets_in_seconds: 90 } },
      {},
      inMs(90_000),
    ],
    [
      'an exhausted limit',
      limited,
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-remaining-tokens': '5',
        'x-ratelimit-reset-tokens': '24h',
      },
      inMs(360_000),
    ],
    ['parts of a second', limited, { 'x-ratelimit-reset-tokens': '1m30.5s' }, inMs(90_500)],
    ['milliseconds by name', limited, { 'x-ratelimit-reset-tokens': '500ms' }, inMs(500)],
    [
      'an epoch in milliseconds',
      limited,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(inMs(5_000)) },
      inMs(5_000),
    ],
    [
      'the later of two exhausted limits',
      anthropic('rate_limit_error'),
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-23T06:00:30Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-23T06:02:00Z',
      },
      inMs(120_000),
    ],
    [
      'a window that refused, not one that allowed',
      anthropic('rate_limit_error'),
      {
        'anthropic-ratelimit-unified-5h-status': 'rejected',
        'anthropic-ratelimit-unified-5h-reset': String(NOW_MS / 1_000 + 600),
        'anthropic-ratelimit-unified-7d-status': 'allowed_warning',
        'anthropic-ratelimit-unified-7d-reset': String(NOW_MS / 1_000 + 86_400),
      },
      inMs(600_000),
    ],
    [
      'details of the error',
      gemini(429, 'RESOURCE_EXHAUSTED', 'x', [quotaFailure, retryInfo('41.5s')]),
      {},
      inMs(41_500),
    ],
    ['its words', gemini(429, 'RESOURCE_EXHAUSTED', 'Please retry in 41.25s.'), {}, inMs(41_250)],
    [
      'its words in parts',
      openai('rate_limit_exceeded', null, 'Please try again in 1h2m3s.'),
      {},
      inMs(3_723_000),
    ],
    [
      'its words in full',
      openai('rate_limit_exceeded', null, 'Try again in 3 hours 5 minutes'),
      {},
      inMs(11_100_000),
    ],
    ['nobody', limited, {}, null],
  ] as const)('is read from %s', (_name, json, headers, resetAtMs) => {
    expect(read(429, json, { ...headers }).resetAtMs).toBe(resetAtMs);
  });

  it('is not read from a refusal that waiting does not cure', () => {
    expect(read(401, openai('invalid_api_key', null), { 'retry-after': '5' }).resetAtMs).toBeNull();
    expect(read(503, null, { 'retry-after': '5' }).resetAtMs).toBe(inMs(5_000));
  });
});

describe('the words of a refusal', () => {
  it('are the provider’s own, short, on one line and without a key', () => {
    const message = `Wrong\nkey ${SECRET}, or sk-ant-api03-abc***xyz: ${'x'.repeat(5_000)}`;
    const { message: told } = read(401, openai(null, null, message));
    expect(told).toMatch(/^Wrong key \[key\], or \[key\]: x+$/);
    expect(told).toHaveLength(1_000);
  });

  it('are made where there are none', () => {
    const about = { nowMs: NOW_MS, secret: null };
    const page = { status: 502, headers: {}, json: null, text: '<html>Bad Gateway</html>' };
    expect(readRefusal(page, about).message).toBe('answered 502 with a web page');
    expect(readRefusal({ ...page, text: '' }, about).message).toBe('answered 502 without words');
    expect(readRefusal({ ...page, text: 'no healthy upstream' }, about).message).toBe(
      'no healthy upstream',
    );
  });
});
