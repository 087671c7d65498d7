import { z } from 'zod';

const StateName = z.string().trim().min(1).max(200);
const StateNames = z.array(StateName).max(100);

const Local = z.strictObject({
  prefix: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be letters and digits, a letter first')
    .max(20)
    .default('SY')
    .describe('Prefix of identifiers in the built-in tracker.'),
});

const Linear = z.strictObject({
  endpoint: z.url().max(2_048).optional().describe('Address of the GraphQL endpoint.'),
  apiKey: z.string().max(8_192).optional().describe('Key, usually $SECRET:NAME.'),
  projectSlug: z.string().max(500).optional().describe('Project whose issues are polled.'),
  team: z
    .string()
    .max(100)
    .optional()
    .describe('Key of the team whose issues are polled, and to which new issues go.'),
});

const GitHub = z.strictObject({
  endpoint: z.url().max(2_048).optional().describe('Address of the API.'),
  apiKey: z.string().max(8_192).optional().describe('Token, usually $SECRET:NAME.'),
  project: z
    .strictObject({
      owner: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,100}$/)
        .describe('Organisation or user whose project it is.'),
      number: z.int().min(1).describe("The project's number, as in its address."),
      field: z
        .string()
        .min(1)
        .max(100)
        .default('Status')
        .describe('Single-select field that holds the states.'),
    })
    .optional()
    .describe('Project whose field holds the states of issues; left out: labels hold them.'),
});

/** `tracker.*`: which tracker is polled and what its states mean. */
export const TrackerSection = z.strictObject({
  kind: z
    .enum(['local', 'linear', 'github'])
    .default('local')
    .describe('The tracker that is polled; the built-in one works beside it.'),
  requiredLabels: z
    .array(z.string().max(200))
    .max(50)
    .default([])
    .describe('Labels an issue must carry; a blank one matches nothing.'),
  assignee: z
    .string()
    .max(200)
    .optional()
    .describe('Only issues of this person: `me`, an id, an email address or a name.'),
  allowedAuthors: z
    .array(z.string().max(200))
    .max(500)
    .default([])
    .describe('Whose issues and comments count: ids, email addresses or names. Empty: everybody.'),
  activeStates: StateNames.default(['Todo', 'In Progress']).describe('States that are worked on.'),
  terminalStates: StateNames.default([
    'Closed',
    'Cancelled',
    'Canceled',
    'Duplicate',
    'Done',
  ]).describe('States that end an issue.'),
  states: z
    .strictObject({
      started: StateName.nullable()
        .default('In Progress')
        .describe('Where an issue goes at launch.'),
      review: StateName.nullable()
        .default('In Review')
        .describe('Where an issue goes with its pull request.'),
      blocked: StateName.nullable()
        .default(null)
        .describe('Where a blocked issue goes; null: stays.'),
    })
    .prefault({})
    .describe('States that the service moves issues to; null: it does not.'),
  local: Local.prefault({}).describe('The built-in tracker.'),
  linear: Linear.optional().describe('The Linear tracker.'),
  github: GitHub.optional().describe('Issues of the code host as a tracker.'),
});
