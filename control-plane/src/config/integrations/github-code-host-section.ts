import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { filledText, keyText, listOf, secretText } from '../bounds/text.ts';

const Names = listOf(filledText(100), 50);

/** `codehost.github.*` */
export const GitHubCodeHostSection = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .describe('Address of the API; left out: https://api.github.com.'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .describe('Address under which the repositories lie; left out: by the endpoint.'),
  token: secretText().optional().describe('Token, usually $SECRET:NAME.'),
  appId: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/)
    .optional()
    .describe('Id or client id of an installed App, instead of a token.'),
  appPrivateKey: keyText()
    .optional()
    .describe("The App's private key (PEM), usually $SECRET:NAME."),
  appInstallationId: whole(1)
    .optional()
    .describe('Installation of the App; left out: the one that holds the repository.'),
  draft: z.boolean().default(false).describe('Open every pull request as a draft.'),
  labels: Names.default([]).describe('Labels of new pull requests.'),
  reviewers: Names.default([]).describe('Users who are asked to review new pull requests.'),
  teamReviewers: Names.default([]).describe('Teams who are asked to review new pull requests.'),
});
