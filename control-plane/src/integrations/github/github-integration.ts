import { createGitHubConnections } from './api/github-connections.ts';
import { createGitHubCodeHost } from './code-host/github-code-host.ts';
import type { Integration } from '../integration.ts';
import { githubIssueDeliveries } from './tracker/github-issue-deliveries.ts';
import { createGitHubTracker } from './tracker/github-tracker.ts';
import { githubTrackerSettings } from './tracker/github-tracker-settings.ts';

/** GitHub as code host and as tracker; each may have its own credential. */
export const githubIntegration: Integration = {
  connect(parts) {
    const { db, clock, ids, config, logger } = parts;
    const github = createGitHubConnections(parts);
    const forIssues = createGitHubConnections({ ...parts, settingsOf: githubTrackerSettings });
    const latest = () => config.latest();
    const tracker = createGitHubTracker({ latest, github: forIssues, logger });
    return {
      tracker,
      codeHost: createGitHubCodeHost({ db, clock, ids, logger, github }),
      issueDeliveries: githubIssueDeliveries({ ...parts, github: forIssues, tracker }),
    };
  },
};
