import type { Integration } from '../integration.ts';
import { reportTracker } from './report-tracker.ts';

/** The tracker of reports; its issues appear in no tracker for people. */
export const reportIntegration: Integration = { connect: () => ({ tracker: reportTracker }) };
