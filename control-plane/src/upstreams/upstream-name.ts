/** How a model provider is named where it is paused. */
export function providerUpstream(baseUrl: string): string {
  return `provider:${baseUrl}`;
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
export function upstreamWords(upstream: string): string {
  return upstream.startsWith('codehost:') ? 'the code host' : 'the model provider';
}
