import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';

const PROVIDER_CODES: ReadonlySet<ReasonCode> = new Set([
  'provider_limited',
  'provider_auth_failed',
  'provider_unreachable',
  'provider_silent',
]);

/** Whether a reason code says that the account of the model provider failed. */
export function isProviderCode(code: ReasonCode | null): boolean {
  return code !== null && PROVIDER_CODES.has(code);
}
