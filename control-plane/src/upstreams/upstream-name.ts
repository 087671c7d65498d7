/** How a model provider is named where it is paused. */
export function providerUpstream(baseUrl: string): string {
  return `provider:${baseUrl}`;
}
