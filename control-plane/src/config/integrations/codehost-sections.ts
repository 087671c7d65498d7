import { GitHubCodeHostSection } from './github-code-host-section.ts';

/** `local` is the built-in code host, which can be used together with any other. */
export const CODEHOST_KINDS = ['local', 'github'] as const;

/** The sections of `codehost.*`, by provider. */
export const codehostSections = {
  github: GitHubCodeHostSection.optional().describe('GitHub, or a server that speaks its API.'),
};
