import { z } from 'zod';
import { TRACKER_KINDS, trackerSections } from '../../integrations/tracker-sections.ts';
import { listOf, text } from '../../bounds/text.ts';

const StateName = z.string().trim().min(1).max(200);
const StateNames = listOf(StateName, 100);

/** `tracker.*`: which tracker is polled and what its states mean. */
export const TrackerSection = z.strictObject({
  kind: z
    .enum(TRACKER_KINDS)
    .default('local')
    .describe('The tracker that is polled; the built-in one works beside it.'),
  requiredLabels: listOf(text(200), 50)
    .default([])
    .describe('Labels an issue must carry; a blank one matches nothing.'),
  assignee: text(200)
    .optional()
    .describe('Only issues of this person: `me`, an id, an email address or a name.'),
  allowedAuthors: listOf(text(200), 500)
    .default([])
    .describe('Whose issues and comments count: ids, email addresses or names. Empty: everybody.'),
  allowedBots: listOf(text(200), 500)
    .default([])
    .describe('Bots and apps whose words count; empty: none, but those among allowedAuthors.'),
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
  ...trackerSections,
});
