import { z } from 'zod';

const Days = z.number().positive().max(36_500);

/** `retention.*`: how long growing records are kept. */
export const RetentionSection = z.strictObject({
  eventsDays: Days.default(30).describe(
    'Events of attempts and of the service, and what checks printed, days.',
  ),
  deliveriesDays: Days.default(14).describe('Finished outgoing and incoming deliveries, days.'),
  historyDays: Days.default(90).describe('Answered questions and start reports, days.'),
  blobsDays: Days.default(30).describe('Diffs, session files and files that agents leave, days.'),
});
