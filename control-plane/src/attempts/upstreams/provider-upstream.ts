import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { UpstreamName } from '@switchyard/shared/reasons/upstream-trouble';

/**
 * The key under which an account of a model provider is paused; without `account`: that of
 * `engine.provider`.
 */
export function providerUpstream(baseUrl: string, account?: string): string {
  return account === undefined ? `provider:${baseUrl}` : `provider:${baseUrl}#${account}`;
}

/**
 * The key under which a repository's code host is paused: its origin, or the path of a local
 * repository.
 */
export function codeHostUpstream(repositoryUrl: string): string {
  const url = URL.canParse(repositoryUrl) ? new URL(repositoryUrl) : null;
  const named =
    url === null || url.protocol === 'file:' ? repositoryUrl : `${url.protocol}//${url.host}`;
  return `codehost:${named}`;
}

/** The key of an issue in pauses of upstreams. */
export function issueKey(tracker: string, issueId: string): string {
  return `${tracker}\n${issueId}`;
}

/** The name of a paused upstream for people. */
export function upstreamMessage(upstream: string): UpstreamName {
  return isCodeHost(upstream) ? 'the code host' : 'the model provider';
}

/** Whether a paused upstream is a code host; otherwise it is a model provider. */
export function isCodeHost(upstream: string): boolean {
  return upstream.startsWith('codehost:');
}

/** Why an upstream is paused; rows without a stored code count as unreachable. */
export function pauseCode(pause: { upstream: string; reason_code: ReasonCode | null }): ReasonCode {
  const unknown = isCodeHost(pause.upstream) ? 'codehost_unreachable' : 'provider_unreachable';
  return pause.reason_code ?? unknown;
}
