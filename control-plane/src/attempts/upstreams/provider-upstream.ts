import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { UpstreamName } from '@switchyard/shared/reasons/upstream-trouble';

/** How an account of a model provider is named where it is paused; no account: the only one. */
export function providerUpstream(baseUrl: string, account?: string): string {
  return account === undefined ? `provider:${baseUrl}` : `provider:${baseUrl}#${account}`;
}

/** How the code host of a repository is named where it is paused: by its origin, or by its path. */
export function codeHostUpstream(repositoryUrl: string): string {
  const url = URL.canParse(repositoryUrl) ? new URL(repositoryUrl) : null;
  const named =
    url === null || url.protocol === 'file:' ? repositoryUrl : `${url.protocol}//${url.host}`;
  return `codehost:${named}`;
}

/** How an issue is named where its failure paused an upstream. */
export function issueKey(tracker: string, issueId: string): string {
  return `${tracker}\n${issueId}`;
}

/** What people call a paused upstream. */
export function upstreamMessage(upstream: string): UpstreamName {
  return isCodeHost(upstream) ? 'the code host' : 'the model provider';
}

/** Whether a paused upstream is a code host; else it is a model provider. */
export function isCodeHost(upstream: string): boolean {
  return upstream.startsWith('codehost:');
}

/** Why an upstream is paused; for rows from before that was stored: it cannot be reached. */
export function pauseCode(pause: { upstream: string; reason_code: ReasonCode | null }): ReasonCode {
  const unknown = isCodeHost(pause.upstream) ? 'codehost_unreachable' : 'provider_unreachable';
  return pause.reason_code ?? unknown;
}
