import type { Integration } from '../integration.ts';
import { reportTracker } from './report-tracker.ts';

/** Work that only reads: its issues are in no tracker of people. */
export const reportIntegration: Integration = { connect: () => ({ tracker: reportTracker }) };
