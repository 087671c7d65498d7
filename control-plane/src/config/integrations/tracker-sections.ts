import { GitHubTrackerSection } from './github-tracker-section.ts';
import { LinearSection } from './linear-section.ts';
import { LocalTrackerSection } from './local-tracker-section.ts';

/** The allowed values of `tracker.kind`. */
export const TRACKER_KINDS = ['local', 'linear', 'github'] as const;
export type TrackerKind = (typeof TRACKER_KINDS)[number];

/** The sections of `tracker.*`, by provider. */
export const trackerSections = {
  local: LocalTrackerSection.prefault({}).describe('The built-in tracker.'),
  linear: LinearSection.optional().describe('The Linear tracker.'),
  github: GitHubTrackerSection.optional().describe('Issues of the code host as a tracker.'),
};
