import { GitHubCodeHostSection } from './github-code-host-section.ts';

/** The built-in code host comes first: it can be used together with any other. */
export const CODEHOST_KINDS = ['local', 'github'] as const;

/** The sections of `codehost.*`, by provider. */
export const codehostSections = {
  github: GitHubCodeHostSection.optional().describe('GitHub, or a server that speaks its API.'),
};
