import { GitHubCodeHostSection } from './github-code-host-section.ts';

/** The built-in host first: it works beside any other. */
export const CODEHOST_KINDS = ['local', 'github'] as const;

/** What `codehost.*` holds for each provider. */
export const codehostSections = {
  github: GitHubCodeHostSection.optional().describe('GitHub, or a server that speaks its API.'),
};
