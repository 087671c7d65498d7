import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { filledText, secretText } from '../bounds/text.ts';

/** `tracker.github.*` */
export const GitHubTrackerSection = z.strictObject({
  endpoint: z.url().max(2_048).optional().describe('Address of the API.'),
  apiKey: secretText().optional().describe('Token, usually $SECRET:NAME.'),
  project: z
    .strictObject({
      owner: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,100}$/)
        .describe('Organisation or user whose project it is.'),
      number: whole(1).describe("The project's number, as in its address."),
      field: filledText(100)
        .default('Status')
        .describe('Single-select field that holds the states.'),
    })
    .optional()
    .describe('Project whose field holds the states of issues; left out: labels hold them.'),
});
